// Compiles native/ to dist/launcher: build-launcher.mjs [TARGET [FLAG...]]. Without a C compiler there is no launcher
// and Orla starts programs with Node; what the compiler refuses fails the build.
import { compile, compileFromWords } from './compile.mjs'

/** True when it was built, false when there is no such compiler. Throws what the compiler says. */
export function buildLauncher(target, { compiler, flags = [] } = {}) {
  return compile('native', target, { compiler, flags: ['-fPIE', '-pie', ...flags] })
}

compileFromWords(import.meta.url, buildLauncher, {
  name: 'launcher',
  file: 'launcher',
  without: 'programs are started with Node',
})
