import type { Conversation, Plan, World } from '../app/index.ts'
import { oneLine } from '../model/index.ts'
import type { Context, Input } from './command.ts'
import type { Printer } from './printer.ts'
import { createProgress, type Progress } from './progress.ts'
import { canAsk, confirm } from './prompt.ts'

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
  return {
    progress: (subject, state) => progress.update(subject, state),
    done: () => progress.clear(),
    warn(message) {
      progress.clear()
      printer.note(`warning: ${oneLine(message)}`)
    },
    async consent(plan) {
      progress.clear()
      const needsConsent = plan.packages.some(
        ({ newPermissions, hooks, action }) =>
          action !== 'keep' && (newPermissions.length > 0 || hooks.length > 0),
      )
      if (yes || !needsConsent) return true
      printPlan(printer, plan)
      return ask(world, printer, 'Install this?')
    },
    async trust({ name, url }) {
      progress.clear()
      if (yes) return true
      printer.note(
        `The registry ${oneLine(name)} (${oneLine(url)}) has not been used on this machine before.`,
      )
      printer.note('Its packages are programs that will run here.')
      return ask(world, printer, 'Trust it?')
    },
  }
}

async function ask(world: World, printer: Printer, question: string): Promise<boolean> {
  if (canAsk(world)) return confirm(world, question)
  printer.note('There is no terminal to ask on; --yes says yes.')
  return false
}

/** The plan for a person who has to judge it. */
function printPlan(printer: Printer, plan: Plan): void {
  for (const line of planLines(plan)) printer.note(line)
}

export function planLines({ packages }: Plan): string[] {
  return packages.flatMap(
    ({ name, version, action, from, permissions, newPermissions, hooks, requiredBy, folder }) => [
      `${action === 'keep' ? 'keep' : action}  ${name} ${version}${requiredBy === undefined ? '' : `  (needed by ${requiredBy})`}`,
      `  from  ${oneLine(from)}`,
      `  into  ${oneLine(folder)}`,
      ...permissions.map(
        (word) => `  asks  ${oneLine(word)}${newPermissions.includes(word) ? '' : '  (accepted before)'}`,
      ),
      ...hooks.map((hook) => `  runs  ${oneLine(hook)} after the install`),
    ],
  )
}
