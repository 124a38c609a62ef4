import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const SCRIPTS = fileURLToPath(new URL('../../scripts/', import.meta.url))

const COMPILER = process.env.CC || 'cc' // as the build takes it

/** Without a compiler the suites are shown as skipped. */
export const hasCompiler = process.platform === 'linux' && spawnSync(COMPILER, ['--version']).status === 0

/** Any mistake in memory or arithmetic ends the process. */
export const SANITIZE = [
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
  '-O1',
  '-g',
] as const

/** Some compilers come without the libraries this takes. */
export const hasSanitizers =
  hasCompiler &&
  spawnSync(COMPILER, [...SANITIZE, '-x', 'c', '-', '-o', '/dev/null'], {
    input: 'int main(void) { return 0; }',
  }).status === 0

/** What a process needs that loads a library built so. */
export function sanitizerEnvironment(): NodeJS.ProcessEnv {
  const libraries = ['libasan.so', 'libubsan.so'].map((name) =>
    execFileSync(COMPILER, [`-print-file-name=${name}`], { encoding: 'utf8' }).trim(),
  )
  // Node itself leaves to the system what it would free at its end.
  return { ...process.env, LD_PRELOAD: libraries.join(' '), ASAN_OPTIONS: 'detect_leaks=0' }
}

/** The path of what a build script makes from the sources as they are. */
export function buildNative(script: string, name: string, flags: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'native-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  if (hasCompiler) execFileSync(process.execPath, [join(SCRIPTS, script), path, ...flags])
  return path
}
