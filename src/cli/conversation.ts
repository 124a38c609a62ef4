import type { Conversation, Plan } from '../app/index.ts'
import { oneLine } from '../model/index.ts'
import type { Context, Input } from './command.ts'
import { planLines } from './plan-lines.ts'
import { createProgress, type Progress } from './progress.ts'
import { canAsk, confirm } from './prompt.ts'
import { inTurn } from './turns.ts'

/** How package commands ask and tell: a terminal is asked, `--yes` answers, everything else is a no. */
export function converse(
  input: Input,
  { world, printer }: Context,
): Conversation & { readonly progress: Progress['update']; done(): void } {
  const yes = input.flag('yes')
  const progress = createProgress(world.err, world.err.isTTY === true && !input.flag('json') && !world.env.CI)
  let asking = false
  const held: string[] = []
  const told = new Set<string>()
  const tell = (message: string) => {
    // What stands in the way of each of several packages is told once.
    if (told.has(message)) return
    told.add(message)
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
      if (yes) return '--yes'
      if (!plan.packages.some(({ needsConsent }) => needsConsent)) return 'unasked'
      return (await ask(planLines(plan), questionOf(plan))) ? 'prompt' : undefined
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

function questionOf({ packages, purpose }: Plan): string {
  if (purpose === 'try') return 'Run its tests here?'
  return packages.some(({ action }) => action !== 'keep') ? 'Install this?' : 'Accept this?'
}
