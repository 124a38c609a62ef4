interface Bar {
  readonly label: string
  readonly count: number
}

const WIDTH = 40
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A line for each bar, the longest as wide as fits; what is there at all can be seen. */
export function drawBars(bars: readonly Bar[], unicode: boolean): string[] {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const labelWidth = Math.max(0, ...bars.map(({ label }) => label.length))
  const countWidth = Math.max(0, ...bars.map(({ count }) => String(count).length))
  return bars.map(({ label, count }) => {
    const bar = unicode ? blocks((WIDTH * count) / most) : signs((WIDTH * count) / most)
    return `${label.padStart(labelWidth)}  ${String(count).padStart(countWidth)}  ${bar}`.trimEnd()
  })
}

function blocks(length: number): string {
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(8 * length))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

function signs(length: number): string {
  return '#'.repeat(length === 0 ? 0 : Math.max(1, Math.round(length)))
}
