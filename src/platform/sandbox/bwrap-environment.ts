/**
 * What would make bwrap itself, the shell before it, or macOS's `sandbox-exec`, which are not confined yet, do what a
 * package may have chosen.
 */
const STEERS_THE_LOADER =
  /^(?:LD_.*|DYLD_.*|OBJC_.*|Malloc[A-Z].*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|MALLOC_.*|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TMPDIR|TZDIR|ENV|BASH.*|SHELLOPTS|PS4|IFS)$/

export function splitEnvironment(env: Readonly<Record<string, string>>) {
  const own: Record<string, string> = {}
  const handed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (STEERS_THE_LOADER.test(name)) handed[name] = value
    else own[name] = value
  }
  return { own, handed }
}
