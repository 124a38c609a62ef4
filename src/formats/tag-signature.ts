import { type SshVerdict, verifySsh } from './ssh/signature.ts'

/** What the object of an annotated tag says of who made it. */
export type TagSignature = { readonly kind: 'unsigned'; readonly why: string } | SshVerdict

const BEGIN = '-----BEGIN SSH SIGNATURE-----'

/**
 * The same judgement as `git verify-tag` with `gpg.format=ssh`: what stands before the signature is what was signed.
 * The tag has to be of this name and to lead straight to that commit, or its signature is about something else.
 */
export function checkTagSignature(content: Buffer, tag: string, commit: string): TagSignature {
  const text = content.toString('latin1')
  // The last one, as git has it.
  const start = text.lastIndexOf(`\n${BEGIN}`) + 1
  if (start === 0) {
    const isPgp = text.includes('\n-----BEGIN PGP SIGNATURE-----')
    return {
      kind: 'unsigned',
      why: isPgp ? 'it is signed with PGP, which Orla does not read' : 'it is not signed',
    }
  }
  const payload = content.subarray(0, start)
  const head = payload.toString('utf8').split('\n')
  if (head[0] !== `object ${commit}` || head[1] !== 'type commit' || head[2] !== `tag ${tag}`) {
    return { kind: 'malformed', why: `it is not about ${tag} at ${commit.slice(0, 12)}` }
  }
  return verifySsh(text.slice(start), payload, 'git')
}
