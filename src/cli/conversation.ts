import type { Conversation, Plan } from '../app/index.ts'
import { oneLine } from '../model/index.ts'
import type { Context, Input } from './command.ts'
import { createProgress, type Progress } from './progress.ts'
import { canAsk, confirm } from './prompt.ts'
import { inTurn } from './turns.ts'

/** How package commands ask and tell: a terminal is asked, `--yes` answers, everything else is a no. */
export function converse(
  input: Input,
  { world, printer }: Context,
): Conversation & { readonly progress: Progress['update']; done(): void } {
  const yes = input.flag('yes')
  const progress = createProgress(
    world.stderr,
    world.stderr.isTTY === true && !input.flag('json') && !world.env.CI,
  )
  let asking = false
  const held: string[] = []
  const tell = (message: string) => {
    progress.clear()
    printer.note(`warning: ${oneLine(message)}`)
  }
  const turns = inTurn()
  /** One question at a time: an answer belongs to the question it was given to. */
  const ask = (lines: readonly string[], question: string) =>
    turns(async () => {
      progress.clear()
      for (const line of lines) printer.note(line)
      if (!canAsk(world)) {
        printer.note('There is no terminal to ask on; --yes says yes.')
        return false
      }
      asking = true
      return confirm(world, question).finally(() => {
        asking = false
        for (const message of held.splice(0)) tell(message)
      })
    })
  return {
    progress(subject, state) {
      if (!asking) progress.update(subject, state)
    },
    done: () => progress.clear(),
    warn(message) {
      // Nothing is written between a question and its answer.
      if (asking) held.push(message)
      else tell(message)
    },
    async consent(plan) {
      const needsConsent = plan.packages.some(
        ({ newPermissions, hooks, action }) =>
          action !== 'keep' && (newPermissions.length > 0 || hooks.length > 0),
      )
      const question = plan.purpose === 'try' ? 'Run its tests here?' : 'Install this?'
      return yes || !needsConsent || ask(planLines(plan), question)
    },
    async trust({ name, url }) {
      const lines = [
        `The registry ${oneLine(name)} (${oneLine(url)}) has not been used on this machine before.`,
        'Its packages are programs that will run here.',
      ]
      return yes || ask(lines, 'Trust it?')
    },
    async trustSource(name, from) {
      const lines = [
        `${oneLine(name)} comes from ${oneLine(from)}; no registry vouches for it.`,
        'It is a program that will run here.',
      ]
      return yes || ask(lines, 'Fetch it?')
    },
  }
}

/** The plan for a person who has to judge it. */
export function planLines({ packages, purpose = 'install' }: Plan): string[] {
  const isTry = purpose === 'try'
  return packages.flatMap(
    ({ name, version, action, from, permissions, newPermissions, hooks, requiredBy, folder }) => [
      `${isTry ? 'try' : action}  ${name} ${version}${requiredBy === undefined ? '' : `  (needed by ${requiredBy})`}`,
      `  from  ${oneLine(from)}`,
      ...(isTry ? [] : [`  into  ${oneLine(folder)}`]),
      ...permissions.map(
        (word) => `  asks  ${oneLine(word)}${newPermissions.includes(word) ? '' : '  (accepted before)'}`,
      ),
      ...(isTry ? [] : hooks).map((hook) => `  runs  ${oneLine(hook)} after the install`),
    ],
  )
}
