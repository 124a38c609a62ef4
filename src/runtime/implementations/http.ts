import { type FindSecret, type HttpRequest, httpRequestOf, withToken } from '../../formats/index.ts'
import { type HttpCandidate, hiderOf } from '../../model/index.ts'
import type { HttpAnswer, HttpClient } from '../../platform/index.ts'
import { withDeadline } from '../deadline.ts'
import { type Job, type Outcome, refuse } from '../executor.ts'
import { outcomeOfAnswer } from './http-outcome.ts'
import { redact } from './redact.ts'
import { createTokens } from './tokens.ts'

export type RunHttp = (candidate: HttpCandidate, job: Job, timeoutMs: number) => Promise<Outcome>

/** Sends a call to an HTTP endpoint. One time limit is for everything: token, redirects and answer. */
export function createHttpRunner(http: HttpClient, secret: FindSecret): RunHttp {
  const tokens = createTokens(http)

  async function exchange(plan: Plan, job: Job, signal: AbortSignal): Promise<Outcome> {
    const { request, tokenRequest, sensitive } = plan
    const send = (ready: HttpRequest) => http.send({ ...ready, signal, maxBytes: job.outputBytes })
    const tell = (answer: HttpAnswer, secrets: readonly string[]) =>
      redact(outcomeOfAnswer(job.tool.name, request, answer, job.outputBytes, hiderOf(secrets)), secrets)
    if (tokenRequest === undefined) return tell(await send(request), sensitive)

    const secrets = [...sensitive]
    for (let attempt = 1; ; attempt++) {
      const got = await tokens.get(tokenRequest, signal)
      if (got === 'cancelled') return tell({ kind: 'cancelled' }, secrets)
      if ('problem' in got) return redact(noToken(job.tool.name, got), secrets)
      secrets.push(got.token)
      const answer = await send(withToken(request, got.token))
      // A token may be withdrawn before it expires; a new one that is refused too has another reason.
      const isRefused = answer.kind === 'answer' && answer.status === 401
      if (isRefused) tokens.forget(tokenRequest, got.token)
      if (!isRefused || attempt === 2) return tell(answer, secrets)
    }
  }

  return async (candidate, job, timeoutMs) => {
    const { name } = job.tool
    const plan = httpRequestOf(candidate, job.arguments, secret)
    if ('problems' in plan) return notSent(candidate, job, plan.problems)
    return withDeadline({ name, timeoutMs, signal: job.signal }, (signal) => exchange(plan, job, signal))
  }
}

type Plan = Extract<ReturnType<typeof httpRequestOf>, { readonly request: unknown }>
type Problems = Extract<ReturnType<typeof httpRequestOf>, { readonly problems: unknown }>['problems']

function notSent(candidate: HttpCandidate, job: Job, problems: Problems): Outcome {
  const words = problems.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`))
  // With every secret at hand, what is still wrong are the arguments.
  const isInput = 'problems' in httpRequestOf(candidate, job.arguments, () => 'secret')
  return refuse(isInput ? 'input' : 'spawn', `\`${job.tool.name}\` cannot start: ${words.join('; ')}`)
}

function noToken(name: string, got: { readonly problem: string; readonly isUnreachable: boolean }): Outcome {
  return got.isUnreachable
    ? refuse('spawn', `\`${name}\` cannot start: ${got.problem}`)
    : refuse('crashed', `\`${name}\` was not called: ${got.problem}`)
}
