import type { Language } from './language.ts'
import { isPlainFilter, understandsOptions } from './options.ts'

type Environment = Readonly<Record<string, string>>

/**
 * The variables an interpreter or the system's libraries look at before the script runs. A process ahead is started
 * with these and serves only calls that have them all with the same values; the others come with the call.
 * Undefined when one of them may mean something else to a process that was started earlier, in another folder.
 */
export function startingEnvironment(language: Language, env: Environment): Environment | undefined {
  const starting: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (!MATTERS.test(name)) continue
    if (!isSteady(language, name, value)) return undefined
    starting[name] = value
  }
  return starting
}

/** `MCP_RUN` is there because the marker of a process is added to the one it inherits. */
const MATTERS =
  /^(PYTHON.*|NODE_.*|LD_.*|DYLD_.*|LC_.*|LANG|LANGUAGE|PATH|HOME|TZ|TZDIR|MALLOC_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|SSL_.*|OPENSSL_.*|UV_.*|MCP_RUN|__PYVENV_LAUNCHER__|ASAN_OPTIONS)$/

const STEADY =
  /^(PYTHON(UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|OPTIMIZE|NOUSERSITE|SAFEPATH|FAULTHANDLER|COERCECLOCALE|NODEBUGRANGES|INTMAXSTRDIGITS)|NODE_(ENV|NO_WARNINGS|PENDING_DEPRECATION|DISABLE_COLORS|TLS_REJECT_UNAUTHORIZED|NO_HTTP2)|NODE_USE_(SYSTEM_CA|ENV_PROXY))$/

function isSteady(language: Language, name: string, value: string): boolean {
  if (!/^(PYTHON|NODE_|LD_|DYLD_|__)/.test(name) || STEADY.test(name) || value === '') return true
  switch (name) {
    case 'PYTHONPATH':
    case 'NODE_PATH':
    case 'LD_LIBRARY_PATH':
    case 'NODE_EXTRA_CA_CERTS':
      return value.split(':').every((path) => path.startsWith('/'))
    case 'PYTHONWARNINGS':
      return isPlainFilter(value)
    case 'NODE_OPTIONS':
      return language === 'python' || understandsOptions('node', value.split(' ').filter(Boolean))
    default:
      // What the other language reads is only carried along.
      return language === 'python' ? name.startsWith('NODE_') : name.startsWith('PYTHON')
  }
}
