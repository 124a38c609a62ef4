/** The era in which every request says who sends it. */
export const MODERN = '2026-07-28'

/** Keys of `_meta` that begin so are the protocol's own. */
export const RESERVED = 'io.modelcontextprotocol/'
export const VERSION_KEY = `${RESERVED}protocolVersion`
