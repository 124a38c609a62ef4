import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundleProgram } from '../lib/bundle.mjs'
import { openWorker, rawSpawn } from '../lib/floors.mjs'
import { openStdio, timeOrla } from '../lib/orla.mjs'
import { ratio, value } from '../lib/report.mjs'
import { rounds, time, timeEach } from '../lib/rounds.mjs'
import { writeTool } from '../lib/scratch.mjs'

export const title = 'Integrity'
export const about = `The look that Orla makes before a call of an installed package whose files are as they were, made by
Orla's own code in one process, against starting the program of that package. Looks follow each other at once, as the starts
of the floor do; rows of their own are of looks that each come after a start or 2 ms apart, when caches hold other things, and of both
after a pause. Calls are as short as those of the quickest programs: the package is then watched from its first call on,
and a call looks at its program and waits until the watch has told everything that happened before; all of that is in the
figure. All files are looked at after a call once a second, when nobody
waits: what that takes has a row of its own. After the figures are taken a file is changed that the manifest does not
name, and then the program, and what was timed has to deny the call each time. The whole call is
measured with \`sandbox: off\`: an installed package and one that was placed by hand then differ in the look and in what
was accepted for the package, and in nothing that holds them.`
/** Files that changed this lately are read before each call, which is not what is measured. */
const SETTLED_MS = 2_500
const FILES = [2, 8, 1_000]
const BUDGET = 0.02
/** As far as calls are apart that come one after the other. */
const GAP_MS = 2

export async function measure({ scratch, quick }) {
  const project = join(scratch.base, 'integrity')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'orla.yaml'), 'sandbox: off\n')
  writePackage(join(project, 'tools', 'placed', '1.0.0'), 'placed', 2)
  for (const count of FILES) {
    const source = writePackage(join(scratch.base, `integrity-source-${count}`), nameOf(count), count)
    await timeOrla(scratch, project, ['install', '--local', source, '--yes'])
  }
  await pause(SETTLED_MS)
  // First: a look that is timed ends with a changed file.
  const call = await calling(scratch, project, quick)
  const rows = []
  const program = await bundleProgram('integrity', join(scratch.base, 'integrity-program'))
  for (const count of FILES) rows.push(...(await looking(scratch, project, program, count, quick)))
  return [...rows, call]
}

async function looking(scratch, project, program, files, quick) {
  const folder = join(project, 'tools', nameOf(files), '1.0.0')
  const tool = join(folder, 'bin', 'run.sh')
  const looks = openWorker(process.execPath, [program, project, scratch.home, nameOf(files), tool])
  const floor = scratch.compile('spawn')
  const spawns = floor && openWorker(floor, [tool])
  const figures = await rounds(quick ? 4 : 40, {
    look: () => looks.measure(2_000),
    between: () => looks.measure(16, 1),
    apart: () => looks.measure(quick ? 50 : 100, GAP_MS),
    node: () => timeEach(16, 1, () => rawSpawn(tool)),
    ...(spawns && { c: () => spawns.measure(32, 1) }),
  })
  await spawns?.stop()
  const rare = files > MANY ? await afterPause(looks, tool, files, quick) : []
  // The last one of a package of two files is its program.
  const last = files > 2 ? join(folder, `data-${files - 1}`) : tool
  for (const file of [last, tool]) await expectDenial(looks, scratch, file)
  await looks.stop()
  const figure = `look before a call, a package of ${files.toLocaleString('en')} files`
  const row = (against, value, at) => ratio({ figure, against, unit: 'ms', value, floor: at, most: BUDGET })
  const colder = (figure, value) =>
    Object.entries({ node: 'Node `spawn`', c: 'C `posix_spawn`' }).flatMap(([name, what]) => {
      const against = `${what} of its program`
      const floor = figures[name]
      return floor ? [ratio({ figure, against, unit: 'ms', value, floor, most: BUDGET })] : []
    })
  return [
    row('Node `spawn` of its program', figures.look, figures.node),
    ...(figures.c ? [row('C `posix_spawn` of its program', figures.look, figures.c)] : []),
    ...colder('the same, each look after a start of the program', figures.between),
    ...colder('the same, 2 ms between looks', figures.apart),
    ...rare,
  ]
}

/** Of a changed file, and none once it is as it was. */
async function expectDenial(looks, scratch, file) {
  const before = join(scratch.base, 'integrity-before')
  cpSync(file, before)
  appendFileSync(file, '# changed\n')
  if ((await looks.measure(0)) !== 1) throw new Error('what was timed does not notice a changed file')
  cpSync(before, file)
  if ((await looks.measure(0)) !== 0) throw new Error('what was timed denies files that are as they were')
  rmSync(before)
}

/** So many that looking at all of them counts. */
const MANY = 100
/** After which all files are due to be looked at again. */
const PAUSE_MS = 1_050

/**
 * A call that nobody made another one shortly before: it comes from outside, to a process that was at rest. Its program
 * starts after the same pause. And what is looked at after a call, once a second at most.
 */
async function afterPause(looks, tool, files, quick) {
  const figures = await rounds(quick ? 3 : 8, {
    look: async () => {
      await pause(PAUSE_MS)
      return looks.measure(1)
    },
    node: async () => {
      await pause(PAUSE_MS)
      return time(() => rawSpawn(tool))
    },
    after: () => looks.measure(-1),
  })
  return [
    ratio({
      figure: `look before a call after a pause, a package of ${files.toLocaleString('en')} files`,
      against: 'Node `spawn` of its program after a pause',
      unit: 'ms',
      value: figures.look,
      floor: figures.node,
      most: BUDGET,
    }),
    value({
      figure: `processor time per second of use, the look after a call, a package of ${files.toLocaleString('en')} files`,
      unit: 'ms',
      value: figures.after,
    }),
  ]
}

async function calling(scratch, project, quick) {
  const name = nameOf(2)
  const orla = openStdio(scratch, project)
  await orla.initialize()
  const call = (tool) => () => timeEach(32, 1, () => orla.call(tool))
  const figures = await rounds(quick ? 8 : 40, { installed: call(name), placed: call('placed') })
  await orla.stop()
  return ratio({
    figure: 'call of an installed package, a `#!/bin/sh` tool',
    against: 'the same package placed by hand',
    unit: 'ms',
    value: figures.installed,
    floor: figures.placed,
  })
}

function nameOf(files) {
  return `installed-${files}`
}

/** Its manifest, its program, and as many others as are missing. */
function writePackage(folder, name, files) {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const manifest = `name: ${name}\nversion: 1.0.0\ndescription: Says hello\nentrypoint: bin/run.sh\n`
  writeFileSync(join(folder, 'tool.yaml'), manifest)
  writeTool(join(folder, 'bin/run.sh'), 'echo hello')
  for (let index = 2; index < files; index++) writeFileSync(join(folder, `data-${index}`), `${index}\n`)
  return folder
}
