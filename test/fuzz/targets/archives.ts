import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OrlaError } from '../../../src/model/index.ts'
import { extractArchive, packTarGz, packZip } from '../../../src/platform/index.ts'
import { promise, type Target, type Verdict } from '../target.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'orla-fuzz-')))
const LIMITS = { entries: 50, bytes: 1024 * 1024, ratio: 100 }

const FILES = { 'bin/run.sh': '#!/bin/sh\necho\n'.repeat(20), 'tool.yaml': 'name: a\n' }

/** Whatever an archive holds: it is unpacked whole and inside, or nothing of it is there. */
async function check(input: Buffer): Promise<Verdict> {
  const place = mkdtempSync(join(folder, 'place-'))
  const [archive, destination] = [join(place, 'archive'), join(place, 'out')]
  writeFileSync(archive, input)
  writeFileSync(join(place, 'beside'), 'untouched')
  try {
    const { files, bytes } = await extractArchive(archive, destination, LIMITS)
    const paths = readdirSync(destination, { recursive: true, encoding: 'utf8' })
    const found = paths.map((path) => lstatSync(join(destination, path)))
    promise(
      found.every((stat) => stat.isFile() || stat.isDirectory()),
      'there are only files and folders',
    )
    promise(
      found.every(({ mode, nlink }) => (mode & 0o7022) === 0 && nlink >= 1),
      'no bit is set that may not be',
    )
    promise(found.filter((stat) => stat.isFile()).length === files, 'as many files as it says')
    const contents = paths
      .filter((_, index) => found[index]?.isFile())
      .map((path) => readFileSync(join(destination, path), 'utf8'))
    promise(
      contents.every((content) => Object.values(FILES).includes(content)),
      'a file that is not as it was packed is noticed',
    )
    promise(bytes <= LIMITS.bytes && files <= LIMITS.entries, 'the limits hold')
    return 'accepted'
  } catch (error) {
    promise(error instanceof OrlaError, `it throws ${String(error)}`)
    promise(readdirSync(place).sort().join() === 'archive,beside', 'nothing of it is left')
    return 'refused'
  } finally {
    promise(
      readdirSync(place).every((name) => ['archive', 'beside', 'out'].includes(name)),
      'nothing is put beside its place',
    )
    rmSync(place, { recursive: true, force: true })
  }
}

async function packed(pack: typeof packZip, name: string): Promise<Buffer> {
  const source = join(folder, `source-${name}`)
  mkdirSync(join(source, 'bin'), { recursive: true })
  writeFileSync(join(source, 'tool.yaml'), FILES['tool.yaml'])
  writeFileSync(join(source, 'bin/run.sh'), FILES['bin/run.sh'], { mode: 0o755 })
  const file = join(folder, name)
  await pack(source, Object.keys(FILES), file)
  return readFileSync(file)
}

const zip = await packed(packZip, 'a.zip')
const tar = await packed(packTarGz, 'a.tar.gz')

export const archiveTargets: readonly Target[] = [
  { name: 'zip', mostMs: 300, seeds: () => [zip], check },
  {
    name: 'tar',
    mostMs: 300,
    seeds: () => [tar],
    check,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  },
]
