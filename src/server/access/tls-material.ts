/** A certificate with its chain and its key, as PEM. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
}

/** Throws when they cannot be used. What knows TLS is loaded here, not before. */
export async function checkTls(material: TlsMaterial): Promise<{ readonly expires: Date }> {
  const { examineTls } = await import('./secure-sockets.ts')
  return examineTls(material)
}
