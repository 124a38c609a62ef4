#!/bin/sh
# Prints one line.
printf 'This is a simple text response for testing.'
