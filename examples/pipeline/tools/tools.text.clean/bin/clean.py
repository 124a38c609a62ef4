"""Cleans a text. The arguments are on standard input as one JSON object: a text may be longer than a word can be."""

import json
import re
import sys
import unicodedata


def clean(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(\w)-\n(\w)", r"\1\2", text)
    text = "".join(c for c in text if c in "\n\f\t" or unicodedata.category(c) != "Cc")
    return re.sub(r"\s+", " ", text).strip()


print(json.dumps({"result": clean(json.load(sys.stdin)["text"])}))
