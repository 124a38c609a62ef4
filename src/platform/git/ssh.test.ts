import { describe, expect, it, onTestFinished } from 'vitest'
import { testEnvironment } from '../../../test/git-kit.ts'
import { startSshHost, whyNoSshHost } from '../../../test/ssh-kit.ts'
import { createGit } from './git.ts'
import { listTags } from './list-tags.ts'

const unable = await whyNoSshHost()

describe.skipIf(unable !== '')(`git over ssh${unable}`, () => {
  it('Q89: gives up on a host that lets one in and says nothing, and when it is told to', async () => {
    const host = await startSshHost({ command: 'exec cat > /dev/null' })
    onTestFinished(() => host.close())
    const git = createGit({ env: testEnvironment({ GIT_SSH_COMMAND: host.ssh() }) })
    const url = `${host.alias}:fs`
    await expect(listTags(git, url, { timeoutMs: 1_500 })).rejects.toMatchObject({
      code: 'E_NETWORK',
      message: `cannot read the tags of ${url}: no answer in time`,
    })
    const stop = new AbortController()
    const asked = listTags(git, url, { signal: stop.signal })
    stop.abort()
    await expect(asked).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
  })
})
