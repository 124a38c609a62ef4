/** 1500 → `1.5 s`, 250 → `250 ms`. */
export function durationWords(ms: number): string {
  return ms < 1000 ? `${round(ms)} ms` : `${round(ms / 1000)} s`
}

/** 10485760 → `10 MiB`, 1000 → `1000 bytes`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${round(bytes / 1024)} KiB`
  return `${round(bytes / (1024 * 1024))} MiB`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
