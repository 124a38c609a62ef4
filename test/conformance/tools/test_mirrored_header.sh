#!/bin/sh
# Prints its arguments.
cat
