const SYSTEMS: Readonly<Record<string, string>> = {
  linux: 'linux',
  win: 'win',
  win32: 'win',
  windows: 'win',
  darwin: 'darwin',
  macos: 'darwin',
  mac: 'darwin',
  osx: 'darwin',
  freebsd: 'freebsd',
  openbsd: 'openbsd',
  android: 'android',
  aix: 'aix',
  sunos: 'sunos',
}

const PROCESSORS: Readonly<Record<string, string>> = {
  x64: 'x64',
  amd64: 'x64',
  x86_64: 'x64',
  arm64: 'arm64',
  aarch64: 'arm64',
  arm: 'arm',
  armv7: 'arm',
  ia32: 'x86',
  x86: 'x86',
  riscv64: 'riscv64',
  ppc64: 'ppc64',
  s390x: 's390x',
  loong64: 'loong64',
}

/** A system and a processor; `any` where it does not matter. */
export interface PlatformWord {
  readonly system: string
  readonly processor: string
}

/** `linux-x64`, `win-x64`, `darwin-arm64`, `linux`, `any`; undefined when it is none of these. */
export function parsePlatform(word: string): PlatformWord | undefined {
  const [first = '', second, ...more] = word.trim().toLowerCase().split('-')
  const system = first === 'any' ? 'any' : lookUp(SYSTEMS, first)
  const processor = second === undefined || second === 'any' ? 'any' : lookUp(PROCESSORS, second)
  return system === undefined || processor === undefined || more.length > 0
    ? undefined
    : { system, processor }
}

/** Whether what was made for one runs on the other. */
export function runsOn(wanted: PlatformWord, host: PlatformWord): boolean {
  const fits = (a: string, b: string) => a === 'any' || a === b
  return fits(wanted.system, host.system) && fits(wanted.processor, host.processor)
}

export const KNOWN_PLATFORMS = [
  'linux-x64',
  'linux-arm64',
  'win-x64',
  'win-arm64',
  'darwin-x64',
  'darwin-arm64',
  'any',
]

function lookUp(table: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
