import type { Pin } from '../../model/index.ts'

/** The command that brings back what was installed. */
export function reinstall({ name, version, pin }: { name: string; version: string; pin: Pin }): string {
  return `\`orla install ${wordsFor(name, version, pin)}\` installs it again`
}

function wordsFor(name: string, version: string, pin: Pin): string {
  if (pin.kind === 'directory') return `--local ${pin.path}`
  if (pin.registry !== undefined) return `${name}@v${version}`
  if (pin.kind === 'git') return `${pin.url}#${pin.tag}`
  return /\.mcpkg$|^https?:/i.test(pin.from) ? pin.from : `--local ${pin.from}`
}
