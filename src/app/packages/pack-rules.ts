import { isContent } from '../../formats/index.ts'

/** What version control, systems and editors leave in a folder, and what Orla keeps there itself. */
const NEVER: readonly RegExp[] = [
  /^\.(?:git|hg|svn|bzr|jj)$/,
  /^(?:CVS|_darcs)$/,
  /^\.git(?:ignore|attributes|modules|keep)$/,
  /^\.(?:DS_Store|Spotlight-V100|Trashes|fseventsd|directory)$/,
  /^(?:Thumbs\.db|desktop\.ini|\$RECYCLE\.BIN)$/i,
  /^\._/,
  /^\.(?:nfs|fuse_hidden)[0-9a-f]+$/,
  /^\.(?:idea|vscode|vs)$/,
  /~$/,
  /^\..+\.sw[a-p]$/,
  /^#.*#$/,
  /^\.#/,
  /^\.orla$/,
  /^\.mcpkgignore$/,
  /^__pycache__$/,
]

export function isNeverPacked(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  // Its links are for whoever develops, and archives take none.
  if (/(?:^|\/)node_modules\/\.bin$/.test(path)) return true
  return NEVER.some((pattern) => pattern.test(name))
}

/** What Orla itself made of the package. */
export function isMadeByOrla(path: string): boolean {
  return !isContent(path) || /^[^/]+\.mcpkg$/.test(path)
}

const SECRET: readonly RegExp[] = [
  /^\.env(?:rc|\..+)?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:p12|pfx|jks|keystore|kdbx|ppk|key)$/i,
  /^[._](?:netrc|pypirc|npmrc|htpasswd|pgpass|my\.cnf)$/,
  /^\.git-credentials$/,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|env|txt))?$/i,
  /^service[-_]?account.*\.json$/i,
  /^terraform\.tfstate/,
]

/** Shown to everyone on purpose. */
const SAMPLE = /\.(?:example|sample|template|dist|defaults?)$|\.pub$/i

export function isSecretName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return !SAMPLE.test(name) && SECRET.some((pattern) => pattern.test(name))
}

/** The key itself, not a program that speaks of keys. */
export function holdsPrivateKey(text: string): boolean {
  return /^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----\r?\n[A-Za-z0-9+/=:\r\n]/m.test(text)
}
