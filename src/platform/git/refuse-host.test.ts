import { describe, expect, it } from 'vitest'
import { checkGitUrl } from './git-url.ts'
import { refuseHost } from './refuse-host.ts'

const judge = (url: string, found: readonly string[] = []) =>
  refuseHost(checkGitUrl(url), async () => found.map((address) => ({ address })))

describe('the host of a git address', () => {
  it.each([
    'https://169.254.169.254/x.git',
    'https://2852039166/x.git',
    'https://0xa9.254.43518/x.git',
    'https://[::ffff:169.254.169.254]/x.git',
    'https://[fe80::1]/x.git',
    'https://[fd00:ec2::254]/x.git',
    'https://100.100.100.200/x.git',
    'ssh://git@169.254.169.254/x.git',
    'git@169.254.169.254:x.git',
    '[169.254.169.254:22]:x.git',
    'git@[fe80::1]:x.git',
  ])('Q89: is not where clouds hand out credentials: %s', async (url) => {
    await expect(judge(url)).rejects.toThrow(/nothing is fetched from/)
  })

  it('Q89: is no name that leads there', async () => {
    await expect(
      judge('https://git.example.com/x.git', ['93.184.216.34', '169.254.169.254']),
    ).rejects.toThrow('nothing is fetched from git.example.com (169.254.169.254)')
  })

  it.each([
    ['https://git.example.com/x.git', ['93.184.216.34']],
    ['https://10.0.0.7/x.git', []],
    ['git@git.internal:x.git', ['10.0.0.7']],
    ['http://127.0.0.1:8080/x.git', []],
    ['/somewhere/x.git', []],
  ])('may be anything else: %s', async (url, found) => {
    await expect(judge(url, found)).resolves.toBeUndefined()
  })

  it('is left to git when nobody knows it', async () => {
    const unknown = () => Promise.reject(new Error('ENOTFOUND'))
    await expect(refuseHost(checkGitUrl('https://nowhere.example/x.git'), unknown)).resolves.toBeUndefined()
  })
})
