#!/usr/bin/env python3
"""Counts the lines, words and characters of a text.

@param text {string} the text to count
"""
import json
import sys

text = json.load(sys.stdin)["text"]
print(json.dumps({
    "lines": len(text.splitlines()),
    "words": len(text.split()),
    "characters": len(text),
}))
