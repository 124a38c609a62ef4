import {
  acceptDefinitions,
  distrustKey,
  keyFingerprint,
  listTrust,
  revokeKey,
  trustKey,
} from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import { converse } from '../conversation.ts'
import { configRequest } from '../settings.ts'

export const trustListCommand: Handler = async (input, { world, printer }) => {
  const { keys, revoked } = listTrust(world, configRequest(input))
  if (input.flag('json')) {
    printer.json({
      keys: keys.map(({ source, ...one }) => ({
        ...one,
        source: source ?? null,
        fingerprint: keyFingerprint(one.key),
      })),
      revoked: revoked.map((one) => ({ ...one, fingerprint: keyFingerprint(one.key) })),
    })
    return 0
  }
  printer.table([
    ...keys.map((one) => [
      one.package,
      keyFingerprint(one.key),
      WORDS[one.how],
      oneLine(one.source ?? 'from anywhere'),
    ]),
    ...revoked.map(({ key, since }) => ['-', keyFingerprint(key), 'revoked', since]),
  ])
  if (keys.length + revoked.length === 0) printer.note('No signed package was installed yet.')
  return 0
}

const WORDS = { 'first-use': 'first seen', added: 'added', rotated: 'follows another' } as const

const trust =
  (replaces: boolean): Handler =>
  async (input, { world, printer }) => {
    const [name = '', word = ''] = input.positionals
    const registry = input.text('registry')
    const asked = { name, word, replaces, ...(registry === undefined ? {} : { registry }) }
    const change = await trustKey(world, configRequest(input), asked)
    if (input.flag('json')) printer.json(change)
    else printer.data(`${change.fingerprint} may sign ${name}${replaces ? ', and no other key' : ''}`)
    return 0
  }

export const trustAddCommand = trust(false)
export const trustReplaceCommand = trust(true)

export const trustRemoveCommand: Handler = async (input, { world, printer }) => {
  const [name = '', word] = input.positionals
  const removed = await distrustKey(world, configRequest(input), name, word)
  if (input.flag('json')) printer.json({ removed })
  else {
    for (const { fingerprint } of removed) printer.data(`${fingerprint} is forgotten for ${name}`)
    printer.data(`the next key that signs ${name} counts as the first, and none is needed`)
  }
  return 0
}

const revoke =
  (isRevoked: boolean): Handler =>
  async (input, { world, printer }) => {
    const { key, fingerprint } = await revokeKey(
      world,
      configRequest(input),
      input.positionals[0] ?? '',
      isRevoked,
    )
    if (input.flag('json')) printer.json({ key, fingerprint, revoked: isRevoked })
    else printer.data(`${fingerprint} is ${isRevoked ? 'revoked' : 'no longer revoked'}`)
    return 0
  }

export const trustRevokeCommand = revoke(true)
export const trustRestoreCommand = revoke(false)

export const trustDefinitionsCommand: Handler = async (input, context) => {
  const { world, printer } = context
  const [name = ''] = input.positionals
  const accepted = await acceptDefinitions(world, configRequest(input), name, converse(input, context))
  if (input.flag('json')) printer.json({ name, accepted })
  else if (accepted.length === 0) printer.data(`${name} tells what was accepted; nothing waits`)
  else printer.data(`accepted: ${accepted.join(', ')}`)
  return 0
}
