import { OrlaError } from '../../model/index.ts'
import { type ObjectReader, readAll } from './objects.ts'

/**
 * The commit behind a tag of a repository. An annotated tag carries its own name, which a signature covers:
 * one that was copied to another name is refused.
 */
export async function readTagCommit(objects: ObjectReader, tag: string): Promise<string | undefined> {
  const ref = `refs/tags/${tag}`
  const [object, commit] = await readAll(objects, [ref, `${ref}^{commit}`], TAG_BYTES)
  if (object === undefined) return undefined
  if (object.type === 'tag') checkName(object.content.toString(), tag)
  if (commit === undefined) throw new OrlaError('E_TAG', `the tag ${tag} does not lead to a commit`)
  return commit.id
}

/** What an annotated tag itself says; undefined for a name that is only a commit. */
export async function readTagObject(objects: ObjectReader, tag: string): Promise<Buffer | undefined> {
  const [object] = await readAll(objects, [`refs/tags/${tag}`], TAG_BYTES)
  return object?.type === 'tag' ? object.content : undefined
}

/** Messages of tags and commits may be long, but not endless. */
const TAG_BYTES = 16 * 1024 * 1024

function checkName(content: string, tag: string): void {
  const named = /^tag (.*)$/m.exec(content.split('\n\n', 1)[0] ?? '')?.[1]
  if (named !== tag)
    throw new OrlaError('E_TAG', `the tag ${tag} calls itself ${JSON.stringify(named ?? '')}`, {
      hint: 'someone may have copied an old tag to a new name; ask its author',
    })
}
