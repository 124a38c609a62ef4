#!/usr/bin/env node
// Makes random UUIDs.
// @param [count=1] {integer} how many
import { randomUUID } from 'node:crypto'

let input = ''
for await (const chunk of process.stdin) input += chunk
const { count } = JSON.parse(input)
for (let i = 0; i < count; i++) console.log(randomUUID())
