#!/bin/sh
# Says hello to someone.
# @param name {string} who to greet
while [ $# -gt 1 ]; do
  case $1 in --name) name=$2 ;; esac
  shift 2
done
echo "Hello, $name!"
