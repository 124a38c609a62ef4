/** Operations that a rule about files names. Each says all of them, so that only the order of rules decides. */
export const READ = 'file-read* file-read-metadata file-test-existence file-map-executable process-exec*'
export const WRITE = 'file-write* file-write-data file-write-unlink'
/** Enough to walk through a folder; its names and what is in it stay unseen. */
export const PASS = 'file-read-metadata file-test-existence'

/** What older systems do not know is another name for what they know. The second line is not part of the default. */
export const FIRST_RULES: readonly string[] = [
  '(version 1)',
  '(deny default)',
  "(if (defined? 'file-test-existence) #t (define file-test-existence file-read-metadata))",
  '(deny process-info* file-map-executable)',
  "(if (defined? 'nvram*) (deny nvram*))",
  "(if (defined? 'iokit-get-properties) (deny iokit-get-properties))",
  '(allow process-fork)',
  '(allow process-info* (target same-sandbox))',
  '(allow signal (target same-sandbox))',
  // Interpreters that compile while they run, as Node does.
  "(if (defined? 'dynamic-code-generation) (allow dynamic-code-generation))",
]

/** What programs ask about the machine at their start. Nothing here tells of other processes. */
const FACTS: readonly string[] = [
  'hw.activecpu',
  'hw.byteorder',
  'hw.cachelinesize',
  'hw.cpufamily',
  'hw.cpufrequency',
  'hw.cpusubtype',
  'hw.cputype',
  'hw.l1dcachesize',
  'hw.l1icachesize',
  'hw.l2cachesize',
  'hw.l3cachesize',
  'hw.logicalcpu',
  'hw.logicalcpu_max',
  'hw.machine',
  'hw.memsize',
  'hw.model',
  'hw.ncpu',
  'hw.nperflevels',
  'hw.packages',
  'hw.pagesize',
  'hw.pagesize_compat',
  'hw.physicalcpu',
  'hw.physicalcpu_max',
  'hw.tbfrequency',
  'hw.vectorunit',
  'kern.argmax',
  'kern.boottime',
  'kern.hostname',
  'kern.maxfilesperproc',
  'kern.maxproc',
  'kern.ngroups',
  'kern.osproductversion',
  'kern.osrelease',
  'kern.ostype',
  'kern.osvariant_status',
  'kern.osversion',
  'kern.secure_kernel',
  'kern.usrstack64',
  'kern.version',
  'machdep.ptrauth_enabled',
  'sysctl.proc_cputype',
  'vm.loadavg',
]
const FAMILIES_OF_FACTS: readonly string[] = ['hw.optional.', 'hw.perflevel', 'machdep.cpu.']

/** Who has which name and number on this machine: what `ls -l` and `git` ask. */
const SERVICES: readonly string[] = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
]
/** Where names are looked up, and which certificates are believed. */
const SERVICES_OF_THE_NETWORK: readonly string[] = [
  'com.apple.SystemConfiguration.configd',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.trustd',
  'com.apple.trustd.agent',
]

export function factRules(hasNetwork: boolean): readonly string[] {
  const services = hasNetwork ? [...SERVICES, ...SERVICES_OF_THE_NETWORK] : SERVICES
  const families = hasNetwork ? [...FAMILIES_OF_FACTS, 'net.routetable.'] : FAMILIES_OF_FACTS
  return [
    rule('allow', 'sysctl-read', [
      ...FACTS.map((name) => `(sysctl-name "${name}")`),
      ...families.map((name) => `(sysctl-name-prefix "${name}")`),
    ]),
    rule(
      'allow',
      'mach-lookup',
      services.map((name) => `(global-name "${name}")`),
    ),
  ]
}

/**
 * What nearly every program needs of the system, and what tells nothing about its people. Not all of /System: below
 * it lies a second way to every file of the disk.
 */
const SYSTEM: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/System/Library',
  '/System/Cryptexes',
  '/System/Volumes/Preboot/Cryptexes',
  '/System/iOSSupport',
  '/Library/Apple',
  '/Library/Developer/CommandLineTools',
  '/private/etc/group',
  '/private/etc/hosts',
  '/private/etc/localtime',
  '/private/etc/passwd',
  '/private/etc/protocols',
  '/private/etc/services',
  '/private/etc/ssl',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/private/var/db/xcode_select_link',
  '/private/var/select',
]
const OF_THE_NETWORK: readonly string[] = ['/private/etc/resolv.conf', '/private/var/run/resolv.conf']
/** Where others keep their data beside programs. */
const NOT_OF_THE_SYSTEM: readonly string[] = ['/usr/local/var']

export function systemFileRules(hasNetwork: boolean): readonly string[] {
  const seen = hasNetwork ? [...SYSTEM, ...OF_THE_NETWORK] : SYSTEM
  return [
    rule('allow', READ, seen.map(below)),
    rule('deny', READ, NOT_OF_THE_SYSTEM.map(below)),
    // Its names; and the links in it by which programs call the folders above.
    '(allow file-read* file-read-metadata file-test-existence (literal "/"))',
    rule('allow', PASS, ['/etc', '/tmp', '/var', '/private'].map(literal)),
  ]
}

/** In the whole disk, for who may write there: what runs by itself later, or for others. */
export const STARTED_FROM_MAC: readonly string[] = [
  '/Applications',
  '/Library',
  '/System',
  '/private/etc',
  '/private/var/at',
  '/private/var/db',
]

const DEVICES: readonly string[] = ['/dev/null', '/dev/zero']
const ONLY_READ: readonly string[] = ['/dev/random', '/dev/urandom']
const OWN_STREAMS: readonly string[] = ['/dev/stdin', '/dev/stdout', '/dev/stderr']

/**
 * Whatever else was granted: no terminal of others, no disk, and no second way to the files. The kernel tells the first
 * way of a file, and so the second should never be asked for; here nothing is to depend on that.
 */
export const LAST_RULES: readonly string[] = [
  rule('deny', `${READ} ${WRITE}`, ['/dev', '/System/Volumes/Data'].map(below)),
  rule('allow', READ, [...DEVICES, ...ONLY_READ, ...OWN_STREAMS].map(literal)),
  rule('allow', PASS, [literal('/dev')]),
  rule('allow', 'file-write-data', [...DEVICES, ...OWN_STREAMS].map(literal)),
  `(allow ${READ} file-write-data (subpath "/dev/fd"))`,
]

export function rule(verdict: 'allow' | 'deny', operations: string, filters: readonly string[]): string {
  return [`(${verdict} ${operations}`, ...filters.map((filter) => `  ${filter}`)].join('\n').concat(')')
}

function below(path: string): string {
  return `(subpath "${path}")`
}

function literal(path: string): string {
  return `(literal "${path}")`
}
