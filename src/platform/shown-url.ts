/** Keys of a query whose value lets someone in: `token`, `api_key`, `X-Amz-Signature`, `sig`. */
const SECRET_KEY = String.raw`(?:\w+[-.])*(?:\w+_)*(?:access|api|auth|client|private|refresh|session)?(?:token|key|secret|password|passwd|pwd|signature|sig|auth|authorization|credentials?|jwt)`

/**
 * A URL (or a text with URLs in it) as it may be printed: no user or password before a web host, no password
 * elsewhere, and no token in a query. `ssh://git@host` keeps its user, which is no secret.
 */
export function shownUrl(text: string): string {
  if (!/[@?&]/.test(text)) return text
  return text
    .replace(/\b(https?:\/\/)[^\s/?#'"]*@/gi, '$1')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]*):[^\s/'"]*@/gi, '$1@')
    .replace(new RegExp(`([?&]${SECRET_KEY}=)[^\\s&#'"]+`, 'gi'), '$1[secret]')
}

/** A web address as it may be written down: the same, and it can still be asked. */
export function withoutCredentials(address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  const isSecret = new RegExp(`^${SECRET_KEY}$`, 'i')
  const secret = [...url.searchParams.keys()].filter((key) => isSecret.test(key))
  for (const key of secret) url.searchParams.delete(key)
  return url.href
}
