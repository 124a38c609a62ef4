import { describe, expect, it } from 'vitest'
import { sshVariables } from './ssh-command.ts'

const OPTIONS =
  '-o BatchMode=yes -o ControlMaster=no -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4'

describe('the ssh that git starts', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['as it comes', {}, '', 'ssh'],
    ['of the environment', { GIT_SSH_COMMAND: 'ssh -i ~/key' }, 'core.sshcommand ssh -F x', 'ssh -i ~/key'],
    ['of the configuration', { GIT_SSH: 'plink' }, 'core.sshcommand ssh -F x', 'ssh -F x'],
    ['of the last setting', {}, 'core.sshcommand one\ncore.sshcommand ssh -v\n', 'ssh -v'],
    ['with a path', { GIT_SSH_COMMAND: '"/opt/my ssh/ssh" -v' }, '', '"/opt/my ssh/ssh" -v'],
    ['of a named kind', { GIT_SSH_VARIANT: 'ssh' }, 'ssh.variant plink', 'ssh'],
  ])('Q94: asks nobody anything, %s', (_which, env, settings, command) => {
    expect(sshVariables(env, settings)).toEqual({ GIT_SSH_COMMAND: `${command} ${OPTIONS}` })
  })

  it.each<[string, Record<string, string>, string]>([
    ['another program', { GIT_SSH_COMMAND: 'tsh ssh' }, ''],
    ['a program in place of ssh', { GIT_SSH: '/usr/bin/ssh' }, ''],
    ['another kind', { GIT_SSH_VARIANT: 'simple' }, ''],
    ['another kind by configuration', {}, 'ssh.variant plink\n'],
    ['another program by configuration', {}, 'core.sshcommand plink -batch\n'],
  ])('is left as it is: %s', (_which, env, settings) => {
    expect(sshVariables(env, settings)).toEqual({})
  })
})
