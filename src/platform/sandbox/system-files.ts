/** What nearly every program needs of the host, and what tells nothing about its people. */
export const SYSTEM_FOLDERS: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
]

export const SYSTEM_SETTINGS: readonly string[] = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/openssl.cnf',
  '/etc/pki/ca-trust',
  '/etc/crypto-policies',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/locale.alias',
  '/etc/mime.types',
  '/etc/protocols',
  '/etc/services',
  '/etc/os-release',
]

/** The names of the host and its people; a sandbox with a root of its own gets made-up ones. */
export const NAMES: readonly string[] = ['/etc/passwd', '/etc/group', '/etc/hosts', '/etc/nsswitch.conf']

export const NETWORK_SETTINGS: readonly string[] = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/host.conf',
  '/etc/gai.conf',
]
