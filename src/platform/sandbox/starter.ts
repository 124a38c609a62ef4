import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Enforcement, SandboxProfile } from '../../model/index.ts'
import type { TalkRequest } from '../process/launcher/open.ts'
import type { LauncherStarter } from '../process/launcher/starter.ts'
import type {
  OpenEnd,
  OpenFailure,
  OpenProcess,
  OpenRequest,
  ProcessEnd,
  ProcessRequest,
  ProcessStarter,
} from '../process/starter.ts'
import type { Program } from './bwrap.ts'
import { openEnd, runEnd, type Wrapper, whyNotStarted } from './bwrap-ends.ts'
import { type Choice, chooseTier } from './choose-tier.ts'
import { type Confined, confine } from './confine.ts'
import { sweepDrafts, type Unsettled } from './draft.ts'
import { NETWORK_HOSTS, toAccept } from './enforceable.ts'
import type { GatePassage } from './host-gate.ts'
import { openHostWay } from './host-way.ts'
import { loadSeatbelt } from './load-seatbelt.ts'
import type { SandboxHost } from './probe.ts'
import { notStarted, refused, SandboxRefusal } from './refusal.ts'
import { type SyntheticFiles, writeSyntheticFiles } from './synthetic-files.ts'

/** What a request for a sandbox says beyond the program. Without a profile it runs as it always did. */
export interface SandboxWish {
  readonly profile?: SandboxProfile
  /** What a person agreed to do without on this host, in the words of `Enforcement.unenforced`. */
  readonly accepted?: readonly string[]
  /** A person sits before it. */
  readonly terminal?: boolean
  /** Told before the program starts. */
  onConfined?(enforcement: Enforcement): void
  /** Told of what it made directly in the project and what did not get there. */
  onUnsettled?(unsettled: Unsettled): void
  /** Told of each connection to a host that the profile names. */
  onPassage?(passage: GatePassage): void
}

export interface SandboxedStarter extends ProcessStarter {
  run(request: ProcessRequest & SandboxWish): Promise<ProcessEnd>
  open(request: OpenRequest & SandboxWish): Promise<OpenProcess | OpenFailure>
  /** What somebody else has to start so that it is held; only for a tier that needs no launcher for that. */
  wrap(request: OpenRequest & SandboxWish): Promise<Wrapped | OpenFailure>
  /** What would hold a program of this profile back here. */
  explain(profile: SandboxProfile): Promise<Enforcement>
}

export interface Wrapped {
  readonly program: Program
  /** Lets go of what was held for it. */
  close(): Promise<void>
}

export interface SandboxedStarterDeps {
  readonly starter: ProcessStarter
  /** The same starter when it is the launcher's: it alone sets limits and filters. */
  readonly launcher?: LauncherStarter
  /** Asked once, when the first profile comes. */
  readonly probe: () => Promise<SandboxHost>
  /** Only Orla's, for files that are made up. */
  readonly folder: string
  /** What the light tier may leave open for speed where a heavier one would not. */
  readonly spared?: readonly string[]
}

/** Holds programs to their profile, or does not start them: nothing is tried again without. */
export function createSandboxedStarter(deps: SandboxedStarterDeps): SandboxedStarter {
  const { starter, folder, spared } = deps
  const inner: Omit<LauncherStarter, 'path'> = deps.launcher ?? starter
  let probed: Promise<SandboxHost> | undefined
  const findHost = () => {
    probed ??= deps.probe().then((host) => (deps.launcher === undefined ? withoutLauncher(host) : host))
    return probed
  }

  /** A package keeps its profile from call to call, and the host its tiers. */
  const chosen = new WeakMap<SandboxProfile, Choice>()
  function choose(profile: SandboxProfile, { tiers }: SandboxHost): Choice {
    const choice = chosen.get(profile) ?? chooseTier(profile, tiers, spared)
    chosen.set(profile, choice)
    return choice
  }

  let files: SyntheticFiles | undefined

  /** Throws a `SandboxRefusal`. */
  async function prepare(
    request: OpenRequest & SandboxWish,
    profile: SandboxProfile,
    /** What runs on and on cannot wait for its files until it has ended. */
    { ends }: { readonly ends: boolean },
  ): Promise<Prepared | OpenFailure> {
    const host = await findHost()
    const { tier, enforcement } = choose(profile, host)
    const missing = toAccept(enforcement.unenforced).filter((what) => !request.accepted?.includes(what))
    if (missing.length > 0) throw notEnforced(missing)
    const wrapper = tier.backend === 'bwrap' || tier.backend === 'seatbelt' ? tier.backend : undefined
    const failure = wrapper === undefined ? undefined : whyNotStarted(request)
    if (failure !== undefined) return failure
    if (files === undefined) await sweepDrafts(folder)
    files ??= writeSyntheticFiles(join(folder, 'etc'))
    const { file, args, cwd, env, script, terminal } = request
    const way = enforcement.enforced.includes(NETWORK_HOSTS)
      ? await openHostWay(profile, {
          folder: wayFolder(folder),
          launcher: deps.launcher?.path,
          onPassage: (passage) => request.onPassage?.(passage),
        })
      : undefined
    let confined: Confined
    try {
      const plain = { file, args, cwd, env }
      const drafts = ends ? folder : undefined
      confined =
        tier.backend === 'seatbelt'
          ? await onMac(plain, profile, host, folder)
          : confine(plain, profile, { tier, host, files, way, terminal, drafts })
    } catch (error) {
      await way?.close()
      throw error
    }
    const { program, setup } = confined
    request.onConfined?.(enforcement)
    return {
      request: {
        ...program,
        graceMs: request.graceMs,
        ...(setup && { setup }),
        ...(script !== undefined && wrapper === undefined && { script: resolve(cwd, script) }),
      },
      wrapper,
      close: async () => {
        const unsettled = await confined.close()
        if (unsettled) request.onUnsettled?.(unsettled)
        await way?.close()
      },
    }
  }

  async function run(request: ProcessRequest & SandboxWish): Promise<ProcessEnd> {
    const { profile, stdin, timeoutMs, outputBytes, signal } = request
    if (profile === undefined) return starter.run(request)
    const prepared = await prepare(request, profile, { ends: true }).catch(refused)
    if ('problem' in prepared) return notStarted(prepared)
    try {
      const end = await inner.run({ ...prepared.request, stdin, timeoutMs, outputBytes, signal })
      return prepared.wrapper === undefined ? end : runEnd(request, end, prepared.wrapper)
    } finally {
      await prepared.close()
    }
  }

  async function open(request: OpenRequest & SandboxWish): Promise<OpenProcess | OpenFailure> {
    const { profile } = request
    if (profile === undefined) return starter.open(request)
    const prepared = await prepare(request, profile, { ends: false }).catch(refused)
    if ('problem' in prepared) return prepared
    const opened = await inner.open(prepared.request)
    if ('problem' in opened) {
      await prepared.close()
      return opened
    }
    const closed = opened.exited.then(() => prepared.close())
    const { wrapper } = prepared
    if (wrapper === undefined) return opened
    // Its streams and `end` stay what they are: only how it ended is told by what holds it.
    const told = (end: OpenEnd) => openEnd(request, end, wrapper)
    const exited = Promise.all([opened.exited, closed]).then(([end]) => told(end))
    return { ...opened, exited, gone: opened.gone.then(told) }
  }

  async function wrap(request: OpenRequest & SandboxWish): Promise<Wrapped | OpenFailure> {
    if (request.profile === undefined) throw new Error('there is nothing to hold it to')
    const prepared = await prepare(request, request.profile, { ends: true }).catch(refused)
    if ('problem' in prepared) return prepared
    const { file, args, cwd, env, setup } = prepared.request
    // On macOS nothing keeps a program from typing into the terminal that it has.
    if (setup?.confinement === undefined && prepared.wrapper !== 'seatbelt')
      return { program: { file, args, cwd, env }, close: () => prepared.close() }
    await prepared.close()
    return refused(new SandboxRefusal('what holds it here does not hand over a terminal'))
  }

  async function explain(profile: SandboxProfile): Promise<Enforcement> {
    return choose(profile, await findHost()).enforcement
  }
  return { run, open, wrap, explain, close: () => starter.close() }
}

async function onMac(program: Program, profile: SandboxProfile, { seatbelt }: SandboxHost, folder: string) {
  if (seatbelt === undefined) throw new Error('a tier that was not found')
  const { confineWithSeatbelt } = await loadSeatbelt()
  return confineWithSeatbelt(program, profile, { command: seatbelt.path, folder })
}

/** The path of a socket has little room: a long home would take it all. */
function wayFolder(folder: string): string {
  const isShort = Buffer.byteLength(folder) < LONGEST_FOLDER
  return mkdtempSync(join(isShort ? folder : tmpdir(), 'way-'))
}

const LONGEST_FOLDER = 85

interface Prepared {
  readonly request: TalkRequest
  /** What is started instead of the program itself. */
  readonly wrapper: Wrapper | undefined
  /** Lets go of what was held for it. */
  close(): Promise<void>
}

/** Whatever was found once: what nobody is there to apply is not counted on. */
function withoutLauncher(host: SandboxHost): SandboxHost {
  const tiers = host.tiers.filter(({ backend }) => backend !== 'landlock')
  return { ...host, tiers: tiers.map((tier) => ({ ...tier, launcher: false })) }
}

function notEnforced(missing: readonly string[]): SandboxRefusal {
  const install = process.platform === 'linux' ? 'install bubblewrap, or ' : ''
  return new SandboxRefusal(
    `this host cannot hold it to its permissions (${missing.join(', ')}); ${install}accept that it is not held`,
  )
}
