/** A line that is too long for a terminal continues below, further in. Colours take no room. */
export function wrapLine(line: string, width: number | undefined): string[] {
  if (width === undefined || roomOf(line) <= width) return [line]
  const indent = ' '.repeat((/^ */.exec(line)?.[0].length ?? 0) + 6)
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<=\S) /)) {
    const longer = current === '' ? word : `${current} ${word}`
    if (current !== '' && roomOf(longer) > width) {
      lines.push(current)
      current = indent + word
    } else current = longer
  }
  return [...lines, current]
}

function roomOf(text: string): number {
  return text.replace(/\u001b\[[0-9;]*m/g, '').length
}
