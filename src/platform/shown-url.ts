/**
 * A URL (or a text with URLs in it) as it may be printed: no user or password before a web host, no password
 * elsewhere. `ssh://git@host` keeps its user, which is no secret.
 */
export function shownUrl(text: string): string {
  return text
    .replace(/\b(https?:\/\/)[^\s/?#'"]*@/gi, '$1')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]*):[^\s/'"]*@/gi, '$1@')
}
