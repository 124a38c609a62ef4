#!/bin/sh
# Fails, always.
echo 'This tool intentionally returns an error for testing'
exit 1
