import type { Remote } from './remote.ts'

/**
 * What git is told beside its arguments. Everything the environment says to git is dropped, except how the
 * user reaches the network and where the user's configuration is: credential helpers and ssh keep working.
 */
export function gitEnvironment(
  env: Readonly<Record<string, string>>,
  remote: Remote | undefined,
): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => !/^(?:GIT|ORLA)_/.test(name) || KEPT.test(name))
  return {
    ...Object.fromEntries(own),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // What goes to no remote has none to fetch from, whatever a repository says is missing in it.
    GIT_ALLOW_PROTOCOL: remote === undefined ? 'none' : allowedFor(remote),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    ...(remote?.credential === undefined
      ? {}
      : credentialVariables(remote, Number(env.GIT_CONFIG_COUNT ?? 0))),
  }
}

function allowedFor({ kind }: Remote): string {
  return kind === 'http' ? 'https:ssh:file:http' : 'https:ssh:file'
}

/** Settings that no configuration file can override, before every command. */
export const GIT_SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'init.templateDir=',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=no',
  'fetch.unpackLimit=1',
  'gc.auto=0',
  'maintenance.auto=false',
  // A server that stops sending is given up after a while, long before the timeout.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
].flatMap((setting) => ['-c', setting])

const KEPT =
  /^GIT_(?:ASKPASS|CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+|GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|SSH|SSH_COMMAND|SSH_VARIANT|(?:PROXY_)?SSL_(?:CAINFO|CAPATH|CERT|KEY))$/

/**
 * A credential for one origin, in the environment of one process: not in its arguments, which everyone on the
 * machine can read, and not in a file. It comes from a helper and not as a header: git would send a header
 * wherever a redirect leads. The user's helpers are left out, since they would be asked to store it.
 */
function credentialVariables({ url, credential }: Remote, already: number): Record<string, string> {
  return {
    ORLA_GIT_USER: credential?.user ?? '',
    ORLA_GIT_PASSWORD: credential?.password ?? '',
    GIT_CONFIG_COUNT: String(already + 2),
    [`GIT_CONFIG_KEY_${already}`]: 'credential.helper',
    [`GIT_CONFIG_VALUE_${already}`]: '',
    [`GIT_CONFIG_KEY_${already + 1}`]: `credential.${new URL(url).origin}.helper`,
    [`GIT_CONFIG_VALUE_${already + 1}`]: HELPER,
  }
}

const HELPER = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$ORLA_GIT_USER" "$ORLA_GIT_PASSWORD"; }; f`
