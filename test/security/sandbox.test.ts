import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import type { Enforcement, Permission, SandboxProfile } from '../../src/model/index.ts'
import { buildLauncher, hasCompiler } from '../../src/platform/process/launcher/launcher.contract.ts'
import { createLauncherStarter } from '../../src/platform/process/launcher/starter.ts'
import type { ProcessEnd, ProcessRequest } from '../../src/platform/process/starter.ts'
import type { GatePassage } from '../../src/platform/sandbox/host-gate.ts'
import { probeTiers, type SandboxHost } from '../../src/platform/sandbox/probe.ts'
import { resolveProfile, type SandboxPlace } from '../../src/platform/sandbox/resolve-profile.ts'
import { CALLS, type CallName } from '../../src/platform/sandbox/seccomp/calls.ts'
import { createSandboxedStarter } from '../../src/platform/sandbox/starter.ts'
import { findGroupParent, makeTaskGroup } from '../../src/platform/sandbox/task-group.ts'
import { type Attack, attacksOn, requestIn, triedWords } from './attack-kit.ts'

const isRoot = process.getuid?.() === 0
const launcherPath = buildLauncher()
// Not in /tmp: every sandbox has its own, where one may write.
const folder = realpathSync(mkdtempSync('/var/tmp/sandbox-'))
const place: SandboxPlace = {
  package: join(folder, 'project/tools/spy/1.0.0'),
  workspace: join(folder, 'project'),
  state: join(folder, 'home/.orla/state/spy'),
  home: join(folder, 'home'),
  toolsFolder: join(folder, 'project/tools'),
  orlaHome: join(folder, 'home/.orla'),
  programFolders: ['/usr/bin'],
}
const own = join(folder, 'home/.orla/run/sandbox')
const outer = createLauncherStarter({ path: launcherPath })

function fill(): void {
  for (const path of [place.package, join(folder, 'home/.ssh'), own, join(folder, 'project/.git/hooks')]) {
    mkdirSync(path, { recursive: true })
  }
  mkdirSync(join(folder, 'project/data'))
  writeFileSync(join(folder, 'home/.ssh/id'), 'PRIVATE KEY')
  symlinkSync(join(folder, 'home/.ssh/id'), join(folder, 'home/shortcut'))
  writeFileSync(join(folder, 'home/notes'), 'my notes')
  writeFileSync(join(own, 'kept'), 'of Orla')
  writeFileSync(join(folder, 'project/notes'), 'project notes')
  writeFileSync(join(folder, 'project/data/in'), 'data')
  copyFileSync('/usr/bin/id', join(place.package, 'whoami'))
  if (isRoot) chownSync(join(place.package, 'whoami'), 65_534, 65_534)
  chmodSync(join(place.package, 'whoami'), 0o4755)
}

fill()
const victim = spawn('/bin/sleep', ['600'], { env: { OTHERS_SECRET: 'hunter2' }, stdio: 'ignore' })
const tcp = createServer(greet).listen(0, '127.0.0.1')
const unix = createServer(greet).listen(join(folder, 'project/host.sock'))
await Promise.all([once(tcp, 'listening'), once(unix, 'listening')])
const { port } = tcp.address() as AddressInfo
const host: SandboxHost = hasCompiler
  ? await probeTiers({ starter: outer, launcher: outer, folder: own })
  : { tiers: [] }
afterAll(async () => {
  victim.kill('SIGKILL')
  tcp.close()
  unix.close()
  await outer.close()
  rmSync(folder, { recursive: true, force: true })
})

function greet(socket: Socket): void {
  socket.on('error', () => {})
  socket.end('hello')
}

const request = requestIn(place)

/** Perl is part of every Debian, and calls the kernel by number. */
const number = (name: CallName) => CALLS[name][process.arch === 'arm64' ? 1 : 0]
const perl = (text: string) => request('/usr/bin/perl', ['-e', text])
const kernel = (name: CallName, ...words: readonly (string | number)[]) =>
  perl(
    `$r = syscall(${[number(name), ...words].join(', ')}); print $r == -1 ? "failed $!" : "ESCAPED $r"; print "\\n"`,
  )
const shell = (text: string) => request('/bin/sh', ['-c', text])
const tried = (text: string) => shell(triedWords(text))

/** Each ends with ESCAPED when it reached what it wanted. */
const ATTACKS: readonly Attack[] = [
  ...attacksOn({ place, own, port, victim: victim.pid ?? 0 }, request),
  ['reads the environment of another process', () => tried(`grep -aq hunter2 /proc/${victim.pid}/environ`)],
  ['lists other processes', () => tried(`grep -aq sleep /proc/${victim.pid}/cmdline`)],
  ['limits another process', () => kernel('prlimit64', victim.pid ?? 0, 9, 0, 'my $old = "\\0" x 16')],
  ['slows another process down', () => kernel('setpriority', 0, victim.pid ?? 0, 1)],
  ['traces another process', () => kernel('ptrace', 0x4206, victim.pid ?? 0, 0, 0)],
  ['makes a user namespace', () => kernel('unshare', 0x10000000)],
  [
    'makes a user namespace while cloning',
    () =>
      perl(
        `$r = syscall(${number('clone')}, 0x10000011, 0, 0, 0, 0); exit if $r == 0; print $r == -1 ? "failed $!" : "ESCAPED"`,
      ),
  ],
  ['mounts', () => tried(`unshare -Urm mount -t tmpfs none ${isRoot ? '/mnt' : '/tmp'}`)],
  ['reads the keyrings of the session', () => kernel('keyctl', 0, -3, 1)],
  ['uses rings that pass by a filter', () => kernel('io_uring_setup', 1, 'my $room = "\\0" x 120')],
]

/** Only root reaches these from outside. */
const ATTACKS_OF_ROOT: readonly Attack[] = [
  ['reads /etc/shadow', () => tried('test -s /etc/shadow && cat /etc/shadow >/dev/null')],
  ['writes into /etc', () => tried(`touch /etc/planted-${process.pid} && rm /etc/planted-${process.pid}`)],
  ['gains a user by a setuid file', () => tried(`${place.package}/whoami | grep -q euid=65534`)],
  ['mounts as it is', () => tried('mount -t tmpfs none /mnt && umount /mnt')],
  [
    'opens a file by its handle',
    () =>
      // A wrong handle is ESTALE to who may ask at all.
      perl(
        `opendir(D, "/"); $h = pack("IIC8", 8, 1, (0) x 8); $r = syscall(${number('open_by_handle_at')}, fileno(D), $h, 0); print $!{EPERM} ? "failed $!" : "ESCAPED"`,
      ),
  ],
  [
    'makes a device',
    () => tried(`rm -f ${place.workspace}/data/disk; mknod ${place.workspace}/data/disk b 7 0`),
  ],
]

const WORKSPACE = null
const counts = host.tiers.some(({ counting }) => counting !== 'none')
const inGroups = host.tiers.some(({ counting }) => counting === 'group')
const NOT_COUNTED = isRoot
  ? ': skipped, no control group that counts can be made here'
  : ': skipped, for root only'
const backends = ['bwrap', 'landlock'] as const
const has = (wanted: string) => host.tiers.some(({ backend }) => backend === wanted)
const inTier = (backend: string) =>
  has(backend) ? `in ${backend}` : `in ${backend}: skipped, it does not work on this host`

describe.skipIf(!hasCompiler)('a program that means harm', () => {
  const attacks = isRoot ? [...ATTACKS, ...ATTACKS_OF_ROOT] : ATTACKS
  const plain = createSandboxedStarter({
    starter: outer,
    launcher: outer,
    probe: () => Promise.resolve(host),
    folder: own,
  })

  it.each(attacks)('Q91: %s when nothing holds it', async (_, attack) => {
    const end = await plain.run(attack())
    expect(printed(end)).toContain('ESCAPED')
  })

  for (const backend of backends) {
    describe.skipIf(!has(backend))(inTier(backend), () => {
      it.each(attacks)('Q91: %s in vain', async (_, attack) => {
        const { end, told } = await confined(backend, profileOf(WORKSPACE), attack())
        expect(told).toMatchObject({ backend })
        expect(end).toMatchObject({ cause: 'exit' })
        expect(printed(end)).toMatch(/tried|failed/)
        expect(printed(end)).not.toContain('ESCAPED')
      })
    })
  }
})

const words = {
  read: (below: string): Permission => ({
    kind: 'filesystem',
    access: 'read',
    path: { base: 'workspace', below },
  }),
  write: (below: string): Permission => ({
    kind: 'filesystem',
    access: 'write',
    path: { base: 'workspace', below },
  }),
  readAll: { kind: 'filesystem', access: 'read', path: null },
  writeAll: { kind: 'filesystem', access: 'write', path: null },
  network: { kind: 'network', host: null, port: null },
} satisfies Record<string, Permission | ((below: string) => Permission)>

for (const backend of backends)
  describe.skipIf(!has(backend))(`a program with a profile, ${inTier(backend)}`, () => {
    const run = (permissions: readonly Permission[] | null, wanted: ProcessRequest) =>
      confined(backend, profileOf(permissions), wanted)

    it('Q91: sees its package, its own home and a temporary folder, and nothing of the project', async () => {
      const text = `pwd; cat file; echo $HOME; echo kept > ~/kept; echo x > $TMPDIR/y && echo tmp; cat ${place.workspace}/notes`
      writeFileSync(join(place.package, 'file'), 'mine\n')
      const { end } = await run([], shell(text))
      expect(end.stdout.toString()).toBe(`${place.package}\nmine\n${place.state}\ntmp\n`)
      expect(end.stderr.toString()).toMatch(/No such file|Permission denied|cannot access/)
      expect(readFileSync(join(place.state, 'kept'), 'utf8')).toBe('kept\n')
    })

    it('Q91: without the key reads and writes below the project, and protected parts are for reading', async () => {
      writeFileSync(join(place.workspace, 'orla.yaml'), 'port: 1\n')
      const text = [
        `cd ${place.workspace}`,
        'cat notes orla.yaml',
        'echo more > data/new && cat data/new',
        'echo x > orla.yaml || echo kept',
        'echo x > .git/hooks/post-commit || echo kept',
        'echo x > tools/evil || echo kept',
        'mv .git .git2 || echo kept',
        'rm -rf tools; ln -s /tmp tools 2>/dev/null; ls tools/spy',
      ].join('; ')
      const { end } = await run(null, shell(text))
      expect(end.stdout.toString()).toMatch(/^project notesport: 1\nmore\nkept\nkept\nkept\nkept\n1.0.0\n$/)
      expect(readFileSync(join(place.workspace, 'orla.yaml'), 'utf8')).toBe('port: 1\n')
      expect(existsSync(join(place.workspace, '.git/hooks/post-commit'))).toBe(false)
      expect(existsSync(join(place.package, 'whoami'))).toBe(true)
    })

    it('Q91: makes no protected file where there was none', async () => {
      const made = ['.mcp', 'orla.lock'].map((name) => join(place.workspace, name))
      const attack = shell(
        `cd ${place.workspace}; echo x > orla.lock && mkdir .mcp && echo ESCAPED; echo x > data/other && echo new; echo x >> notes && echo changed`,
      )
      const notes = readFileSync(join(place.workspace, 'notes'))
      const restore = () => {
        for (const path of made) rmSync(path, { recursive: true, force: true })
        rmSync(join(place.workspace, 'data/other'), { force: true })
        writeFileSync(join(place.workspace, 'notes'), notes)
      }
      expect(printed(await outer.run(attack))).toBe('ESCAPED\nnew\nchanged\n')
      restore()
      const { end } = await run(null, attack)
      // In bwrap the program has a draft of the project, and what it makes there under such names is not kept.
      expect(end.stdout.toString()).toBe(backend === 'bwrap' ? 'ESCAPED\nnew\nchanged\n' : 'new\nchanged\n')
      expect(made.filter((path) => existsSync(path))).toEqual([])
      restore()
    })

    // Landlock gives a project in pieces: what is there, and nothing new at the top.
    it.skipIf(backend === 'landlock')(
      'Q91: makes, moves and removes files at the top of a project',
      async () => {
        const at = (name: string) => join(place.workspace, name)
        writeFileSync(at('mine'), 'mine\n')
        writeFileSync(at('gone'), '')
        const { text } = await run(
          null,
          shell(
            `cd ${place.workspace}; echo x > top && cat top; mv mine yours && rm gone && mkdir fresh && echo y > fresh/z`,
          ),
        )
        expect(text).toBe('x\n')
        expect(['top', 'yours', 'fresh/z'].map((name) => readFileSync(at(name), 'utf8'))).toEqual([
          'x\n',
          'mine\n',
          'y\n',
        ])
        expect(['mine', 'gone'].filter((name) => existsSync(at(name)))).toEqual([])
        for (const name of ['top', 'yours', 'fresh']) rmSync(at(name), { recursive: true })
      },
    )

    it('Q91: moves nothing away on which a protected part stands, and exchanges no link', async () => {
      mkdirSync(join(place.home, '.config/autostart'), { recursive: true })
      mkdirSync(join(place.home, 'dotfiles'), { recursive: true })
      writeFileSync(join(place.home, 'dotfiles/zshrc'), 'mine')
      symlinkSync('dotfiles/zshrc', join(place.home, '.zshrc'))
      const attacks = [
        'mv .config away && mkdir -p .config/autostart && echo ESCAPED && rm -r .config && mv away .config',
        'rm .zshrc && echo evil > .zshrc && echo ESCAPED && ln -sf dotfiles/zshrc .zshrc',
      ]
      for (const attack of attacks) {
        const wanted = shell(`cd ${place.home}; ${attack}; echo tried`)
        expect(printed(await outer.run(wanted))).toContain('ESCAPED')
        const { text } = await run([words.writeAll], wanted)
        expect(text).toContain('tried')
        expect(text).not.toContain('ESCAPED')
      }
      expect(readFileSync(join(place.home, '.zshrc'), 'utf8')).toBe('mine')
      for (const name of ['.zshrc', 'dotfiles', '.config'])
        rmSync(join(place.home, name), { recursive: true })
    })

    it('Q91: gets what it named, to read or to write, and not what lies beside it', async () => {
      const see = `cat ${place.workspace}/data/in; cat ${place.workspace}/notes`
      const reads = await run([words.read('data')], shell(`${see}; echo x > ${place.workspace}/data/out`))
      expect(reads.end.stdout.toString()).toBe('data')
      expect(existsSync(join(place.workspace, 'data/out'))).toBe(false)
      const writes = await run([words.write('data')], shell(`echo x > ${place.workspace}/data/out`))
      expect(writes.text).toBe('')
      expect(readFileSync(join(place.workspace, 'data/out'), 'utf8')).toBe('x\n')
      rmSync(join(place.workspace, 'data/out'))
    })

    it('Q91: is not led out of the project by a link where a granted folder was', async () => {
      const data = join(place.workspace, 'data')
      renameSync(data, `${data}.away`)
      symlinkSync(join(place.home, '.ssh'), data)
      try {
        const { end } = await run([words.read('data')], shell(`cat ${data}/id`))
        expect(end).toMatchObject({ cause: 'spawn', problem: { kind: 'denied' } })
        expect(end.error?.message).toContain('reached through a link')
      } finally {
        rmSync(data)
        renameSync(`${data}.away`, data)
      }
    })

    it('Q91: reads ALL files, but not keys', async () => {
      const text = `cat ${place.home}/notes; cat ${place.home}/.ssh/id; cat ${place.home}/shortcut ${own}/probe.json; echo x > ${place.home}/planted; cat /etc/hostname >/dev/null && echo etc; echo x > $TMPDIR/x && cat $TMPDIR/x`
      const { end } = await run([words.readAll], shell(text))
      expect(end.stdout.toString()).toBe('my notesetc\nx\n')
      const { end: other } = await run(
        [words.readAll],
        shell(`grep -aq hunter2 /proc/${victim.pid}/environ; echo $?`),
      )
      expect(other.stdout.toString()).not.toBe('0\n')
    })

    it('Q91: writes ALL files, but not those that run by themselves', async () => {
      writeFileSync(join(place.home, '.bashrc'), 'mine')
      mkdirSync(join(place.home, 'docs'), { recursive: true })
      const text = `echo x > ${place.home}/docs/new; echo x > ${place.home}/.bashrc; echo x > /usr/bin/planted; cat ${place.home}/.bashrc`
      const { end } = await run([words.writeAll], shell(text))
      expect(end.stdout.toString()).toBe('mine')
      expect(readFileSync(join(place.home, 'docs/new'), 'utf8')).toBe('x\n')
      expect(existsSync('/usr/bin/planted')).toBe(false)
    })

    it('Q91: connects where it may, and still to no socket of the host', async () => {
      const [, tcpAttack] = ATTACKS.find(([name]) => name.includes('TCP')) ?? []
      const [, unixAttack] = ATTACKS.find(([name]) => name.includes('socket of the host')) ?? []
      if (tcpAttack === undefined || unixAttack === undefined) throw new Error('no such attack')
      expect((await run([words.network], tcpAttack())).text).toContain('ESCAPED')
      expect((await run([words.network, words.read('')], unixAttack())).text).toContain('failed')
      const socket: Permission = { kind: 'socket', path: { base: 'workspace', below: 'host.sock' } }
      expect((await run([socket], unixAttack())).text).toContain('ESCAPED')
    })

    it('Q91: cannot type into a terminal', async () => {
      const type = perl('ioctl(STDIN, 0x5412, my $c = "x"); print $!{EPERM} ? "held" : "driver"')
      expect((await outer.run(type)).stdout.toString()).toBe('driver')
      expect((await run([], type)).text).toBe('held')
    })

    it('Q91: changes the metadata of files elsewhere only where that is told', async () => {
      const attack = shell(`chmod 600 ${place.home}/notes && echo ESCAPED; echo tried`)
      const { text, told } = await run([], attack)
      expect(text).toContain('tried')
      expect(text.includes('ESCAPED')).toBe(told?.unenforced.includes('metadata of files'))
      expect(told?.unenforced).toEqual(backend === 'bwrap' ? [] : ['metadata of files'])
    })

    it('Q91: stays within its limits', async () => {
      const limits = { cpuMs: 1_000, memoryBytes: 64 * 1024 * 1024, fileBytes: 4096 }
      const limited = (text: string) => confined(backend, profileOf([], limits), shell(text))
      expect((await limited('head -c 100000 /dev/zero > ~/big; stat -c %s ~/big')).text).toContain('4096')
      expect((await limited('perl -e \'$x = "x" x 200e6; print "had it"\'')).text).not.toContain('had it')
      const spun = await limited('while :; do :; done')
      expect(spun.end.signal ?? spun.end.exitCode).toSatisfy((how) => how === 'SIGXCPU' || Number(how) > 128)
    })

    it.skipIf(!counts)(`Q91: stays within its number of processes${counts ? '' : NOT_COUNTED}`, async () => {
      const fork = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 5 & done; echo done'
      const { text } = await confined(backend, profileOf([], { processes: 3 }), shell(fork))
      expect(text).toMatch(/fork|Cannot/)
      // What holds it is not counted, and it has all that it was given.
      const three = 'sleep 0.2 & sleep 0.2 & wait; echo had three'
      expect((await confined(backend, profileOf([], { processes: 3 }), shell(three))).text).toBe(
        'had three\n',
      )
    })

    it.skipIf(!inGroups)(
      `Q91: does not get out of the group that counts it${inGroups ? '' : NOT_COUNTED}`,
      async () => {
        const parent = findGroupParent() ?? ''
        const leave = triedWords(`for i in 0 $$ 1; do echo $i > ${parent}/cgroup.procs; done`)
        const widen = triedWords(`for f in ${parent}/orla-*/pids.max; do echo max > $f; done`)
        const outside = makeTaskGroup(parent, 100)
        const setup = { group: outside.procs }
        for (const text of [leave, widen]) {
          expect(printed(await outer.run({ ...shell(text), setup }))).toContain('ESCAPED')
          const { text: said } = await confined(backend, profileOf([], { processes: 9 }), shell(text))
          expect(said).toContain('tried')
          expect(said).not.toContain('ESCAPED')
        }
        await outside.close()
        expect(readdirSync(parent).filter((name) => name.startsWith(`orla-${process.pid}-`))).toEqual([])
      },
    )

    it('runs Node and Python', async () => {
      const python = await run(
        [],
        request('/usr/bin/python3', ['-c', 'import json, ssl, tempfile; tempfile.TemporaryFile(); print(1)']),
      )
      expect(python.text).toBe('1\n')
      const node = await run(
        [],
        request(process.execPath, ['-e', 'console.log(os.homedir(), process.memoryUsage().rss > 0)']),
      )
      expect(node.text).toBe(`${place.state} true\n`)
    })

    it('leaves nothing behind that it started', async () => {
      const length = `600.${String(process.pid).padStart(7, '0')}`
      const { end } = await run([], shell(`setsid sleep ${length} >/dev/null 2>&1 & sleep 0.1; echo left`))
      expect(end.stdout.toString()).toBe('left\n')
      const left = await outer.run(request('/usr/bin/pgrep', ['-f', `^sleep ${length}`]))
      expect(left.stdout.toString()).toBe('')
    })

    it('says when its program is not there', async () => {
      const gone = join(place.package, 'gone')
      const { end } = await run([], request(gone, []))
      expect(end).toMatchObject({ cause: 'spawn', problem: { kind: 'file-missing', path: gone } })
    })

    it('Q91: a library that the environment names acts inside only', async () => {
      const library = join(place.package, 'evil.so')
      const mark = join(place.home, 'loaded')
      execFileSync('cc', ['-shared', '-fPIC', '-x', 'c', '-', '-o', library], { input: PLANTS_A_FILE(mark) })
      const wanted = { ...shell('echo $LD_PRELOAD'), env: { PATH: '/usr/bin:/bin', LD_PRELOAD: library } }
      await outer.run(wanted)
      expect(existsSync(mark)).toBe(true)
      rmSync(mark)
      const { end } = await run([], wanted)
      expect(end.stdout.toString()).toBe(`${library}\n`)
      expect(existsSync(mark)).toBe(false)
    })
  })

const PLANTS_A_FILE = (path: string) => `
  #include <fcntl.h>
  __attribute__((constructor)) static void plant(void) { open("${path}", O_CREAT | O_WRONLY, 0600); }
`

const PRINTS_ITS_RIGHTS = `
  #include <fcntl.h>
  #include <string.h>
  #include <unistd.h>
  __attribute__((constructor)) static void tell(void) {
    char text[8192];
    int file = open("/proc/self/status", O_RDONLY);
    long length = read(file, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = 0;
    char *line = strstr(text, "CapEff");
    if (line) write(1, line, strcspn(line, "\\n") + 1);
  }
`

describe.skipIf(!has('bwrap'))('a program that may reach single hosts', () => {
  const starter = createSandboxedStarter({
    starter: outer,
    launcher: outer,
    probe: () => Promise.resolve(host),
    folder: own,
  })
  const dial = (to: string) =>
    `use IO::Socket::INET; $s = IO::Socket::INET->new("${to}"); print $s ? <$s> : "failed $!"; print "\\n";`
  async function reach(allowed: readonly [host: string, port: number][], text: string) {
    const passages: GatePassage[] = []
    const profile = profileOf(allowed.map(([name, at]) => ({ kind: 'network', host: name, port: at })))
    const end = await starter.run({
      ...perl(text),
      profile,
      onPassage: (passage) => passages.push(passage),
    })
    return { end, said: end.stdout.toString(), passages }
  }

  it('Q91: reaches the one it named, and nothing else', async () => {
    const away = createServer(greet).listen(0, '127.0.0.1')
    await once(away, 'listening')
    const other = (away.address() as AddressInfo).port
    const { said, passages } = await reach(
      [['localhost', port]],
      dial(`localhost:${port}`) + dial(`127.0.0.1:${other}`),
    )
    away.close()
    expect(said).toMatch(/^hello\nfailed Connection refused\n$/)
    expect(passages).toMatchObject([{ host: 'localhost', port, receivedBytes: 5 }])
  })

  it('Q91: finds a name at a port that only root may listen at, and is told of where it leads', async () => {
    const { said, passages } = await reach(
      [['name.invalid', 443]],
      `${dial('name.invalid:443')} print "ended"`,
    )
    expect(said).toBe('\nended')
    expect(passages).toMatchObject([{ host: 'name.invalid', port: 443, address: undefined }])
  })

  it('Q91: asks for the names below a pattern, reaches those, and nothing else', async () => {
    const all = [
      'One.Name.invalid:443',
      'two.one.name.invalid:443',
      'name.invalid:443',
      'evilname.invalid:443',
    ]
    const { said, passages } = await reach(
      [['*.name.invalid', 443]],
      `${all.map((one) => dial(one)).join('')} ${dial('one.name.invalid:444')} ${dial(`127.0.0.1:${port}`)}`,
    )
    // The first two find somebody who listens, and are told apart outside; the port of the last but one is not theirs.
    expect(said).toMatch(/^\n\n(?:failed .*\n){4}$/)
    expect(passages).toMatchObject([
      { host: 'one.name.invalid', port: 443, address: undefined },
      { host: 'two.one.name.invalid', port: 443, address: undefined },
    ])
  })

  const [outside] = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).flatMap(({ family, internal, address }) => (family === 'IPv4' && !internal ? [address] : [])),
  )

  it.skipIf(outside === undefined)(
    'Q91: reaches the address it named, and no other one (needs a network)',
    async () => {
      const away = createServer(greet).listen(0, '0.0.0.0')
      await once(away, 'listening')
      const { port: at } = away.address() as AddressInfo
      const { said, passages } = await reach(
        [
          [`${outside}`, at],
          ['[fd12::5]', 443],
        ],
        `${dial(`${outside}:${at}`)}${dial(`${outside}:${at === 1 ? 2 : 1}`)}${dial('198.51.100.7:443')}${dial(`127.0.0.1:${at}`)}`,
      )
      away.close()
      expect(said).toMatch(
        /^hello\nfailed Connection refused\nfailed Network is unreachable\nfailed Connection refused\n$/,
      )
      expect(passages).toMatchObject([{ host: outside, port: at, receivedBytes: 5 }])
    },
  )

  it('Q91: has no right over the network inside, nor has a library that its environment names', async () => {
    const library = join(place.package, 'rights.so')
    execFileSync('cc', ['-shared', '-fPIC', '-x', 'c', '-', '-o', library], { input: PRINTS_ITS_RIGHTS })
    const profile = profileOf([{ kind: 'network', host: '10.9.8.7', port: 443 }])
    const env = { PATH: '/usr/bin:/bin', LD_PRELOAD: library }
    const end = await starter.run({ ...shell('grep CapEff /proc/self/status'), env, profile })
    const rights = end.stdout.toString().match(/CapEff:\s*\w+/g) ?? []
    // At least the relay, the shell and its program; 12 is the right that the first command has.
    expect(rights.length).toBeGreaterThan(2)
    for (const line of rights) expect(Number.parseInt(line.slice(7).trim(), 16) & (1 << 12), line).toBe(0)
  })

  it('Q91: makes no namespaces there either, and keeps its status, its signal and its goodbye', async () => {
    const unshare = `$r = syscall(${number('unshare')}, 0x10000000); print $r == -1 ? "failed" : "ESCAPED"; exit 7`
    expect(await reach([['localhost', port]], unshare)).toMatchObject({
      said: 'failed',
      end: { exitCode: 7 },
    })
    expect((await reach([['localhost', port]], 'kill 9, $$')).end).toMatchObject({ signal: 'SIGKILL' })
    const profile = profileOf([{ kind: 'network', host: 'localhost', port }])
    const goodbye = '$| = 1; $SIG{TERM} = sub { print "bye"; exit 3 }; print "hi "; sleep 600'
    const opened = await starter.open({ ...perl(goodbye), profile })
    if ('problem' in opened) throw opened.error
    await once(opened.stdout, 'readable')
    const said = text(opened.stdout)
    await opened.end(10_000)
    expect(await said).toBe('hi bye')
    expect(await opened.exited).toMatchObject({ exitCode: 3 })
    expect(readdirSync(own).filter((name) => name.startsWith('way-'))).toEqual([])
  })
})

describe.skipIf(!hasCompiler)('what a host cannot hold', () => {
  const starterWith = (tiers: SandboxHost['tiers']) =>
    createSandboxedStarter({
      starter: outer,
      launcher: outer,
      probe: () => Promise.resolve({ tiers }),
      folder: own,
    })
  const none = {
    backend: 'none',
    launcher: true,
    filter: true,
    landlock: 0,
    counting: isRoot ? 'none' : 'user',
  } as const

  it('Q91: is not run, unless a person accepted it', async () => {
    const starter = starterWith([none])
    const profile = profileOf(null)
    const wanted = { ...shell('echo ran'), profile }
    const { unenforced } = await starter.explain(profile)
    expect(unenforced).toContain('network')
    const refused = await starter.run(wanted)
    expect(refused).toMatchObject({ cause: 'spawn', problem: { kind: 'denied' } })
    expect(refused.error?.message).toContain('files')
    expect(await starter.open(wanted)).toMatchObject({ problem: { kind: 'denied' } })
    expect((await starter.run({ ...wanted, accepted: ['network'] })).cause).toBe('spawn')
    expect((await starter.run({ ...wanted, accepted: unenforced })).stdout.toString()).toBe('ran\n')
  })

  it('Q91: an address is refused where nobody can give it to a network inside', async () => {
    const starter = starterWith(host.tiers.map((tier) => ({ ...tier, launcher: false })))
    const profile = profileOf([{ kind: 'network', host: '10.0.0.1', port: 443 }])
    const end = await starter.run({ ...shell('echo ran'), profile })
    expect(end.error?.message).toContain('network hosts')
  })

  it('Q91: is not run when its own folder cannot be made', async () => {
    writeFileSync(join(folder, 'in-the-way'), '')
    const profile = { ...profileOf([]), state: join(folder, 'in-the-way/state') }
    const end = await starterWith(host.tiers).run({
      ...shell('echo ran'),
      profile,
      accepted: ['metadata of files'],
    })
    expect(end).toMatchObject({ cause: 'spawn', problem: { kind: 'other' } })
  })

  it('a program without a profile runs as it always did', async () => {
    expect((await starterWith([none]).run(shell('echo $HOME; echo ran'))).stdout.toString()).toBe(
      `${place.home}\nran\n`,
    )
  })
})

function profileOf(permissions: readonly Permission[] | null, limits = {}): SandboxProfile {
  return resolveProfile(permissions, place, limits)
}

function printed({ stdout, stderr }: ProcessEnd): string {
  return stdout.toString() + stderr.toString()
}

/** Runs in this tier and no other, with every gap accepted. */
async function confined(backend: 'bwrap' | 'landlock', profile: SandboxProfile, wanted: ProcessRequest) {
  const tiers = host.tiers.filter((tier) => tier.backend === backend)
  const starter = createSandboxedStarter({
    starter: outer,
    launcher: outer,
    probe: () => Promise.resolve({ ...host, tiers }),
    folder: own,
  })
  let told: Enforcement | undefined
  const { unenforced } = await starter.explain(profile)
  const end = await starter.run({
    ...wanted,
    profile,
    accepted: unenforced,
    onConfined: (enforcement) => {
      told = enforcement
    },
  })
  return { end, told, text: printed(end) }
}
