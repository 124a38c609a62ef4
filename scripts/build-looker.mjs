// Compiles native/looker/ to dist/looker.node: build-looker.mjs [TARGET [FLAG...]]. Without a C compiler there is no
// looker and Orla looks at files with Node, as on other processors; what the compiler refuses fails the build.
import { compile, compileFromWords } from './compile.mjs'

// What a fortified build calls is not in every C library, and nothing but what Node brings along may be needed.
const LIBRARY = ['-fPIC', '-shared', '-nostdlib', '-U_FORTIFY_SOURCE', '-fvisibility=hidden']
// One operation in place of two would round once, Node rounds twice.
const NUMBERS = ['-ffp-contract=off']

/** As Node calls them, and what each needs: counting in turns calls a function of the compiler's library otherwise. */
const PROCESSORS = { x64: [], arm64: ['-mno-outline-atomics'] }

/** True when it was built or is not for that processor, false without such a compiler. Throws what the compiler says. */
export function buildLooker(target, { compiler, flags = [], cpu = process.arch } = {}) {
  const own = PROCESSORS[cpu]
  if (own === undefined) return true
  return compile('native/looker', target, { compiler, flags: [...LIBRARY, ...NUMBERS, ...own, ...flags] })
}

compileFromWords(import.meta.url, buildLooker, {
  name: 'looker',
  file: 'looker.node',
  without: 'files are looked at with Node',
})
