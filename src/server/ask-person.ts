import { randomBytes } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Consent, Question } from './contract.ts'

type Decision = 'once' | 'always' | 'no'

/** Puts questions to the person behind one client: as requests in the legacy era, as results in the modern one. */
export interface Asker {
  /** What the person said, or what the client has to be answered so that it asks the person. */
  ask(question: Question, context: ServerContext): Promise<Decision | InputRequiredResult>
}

interface Client {
  readonly era: 'modern' | 'legacy'
  /** What it said about itself when it introduced itself. */
  readonly capabilities: () => ClientCapabilities | undefined
  readonly consent: Pick<Consent, 'waitMs' | 'signal'>
}

export function createAsker({ era, capabilities, consent }: Client): Asker {
  /** Calls that need the same wait for the one question. */
  const asking = new Map<string, Promise<Decision | 'given up'>>()
  /** Who said no is not asked again on this connection. */
  const refused = new Set<string>()

  async function askNow(question: Question, { mcpReq }: ServerContext): Promise<Decision | 'given up'> {
    try {
      const answer = await mcpReq.send(
        { method: 'elicitation/create', params: { mode: 'form', ...formOf(question) } },
        { timeout: consent.waitMs, signal: AbortSignal.any([mcpReq.signal, consent.signal]) },
      )
      const decision = decisionOf(answer, question)
      if (decision === 'no') refused.add(question.id)
      return decision
    } catch {
      // Taken back, too late, or something the client could not do: nobody has said yes.
      return mcpReq.signal.aborted ? 'given up' : 'no'
    }
  }

  async function askLegacy(question: Question, context: ServerContext): Promise<Decision> {
    const { id } = question
    while (!context.mcpReq.signal.aborted) {
      if (refused.has(id)) return 'no'
      const others = asking.get(id)
      const answer = others ?? askNow(question, context).finally(() => asking.delete(id))
      if (others === undefined) asking.set(id, answer)
      const decision = await answer
      // The call that asked was taken back; the next one asks itself.
      if (decision !== 'given up') return decision
    }
    return 'no'
  }

  return {
    async ask(question, context) {
      if (!takesForms(era === 'modern' ? declaredBy(context) : capabilities())) return 'no'
      if (era === 'legacy') return askLegacy(question, context)
      // A modern connection over HTTP is one request long: there a no ends with it.
      if (refused.has(question.id)) return 'no'
      const answer = await askModern(question, context)
      if (answer === 'no') refused.add(question.id)
      return answer
    },
  }
}

/** A modern client says with each request what it can do. */
function declaredBy({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  // The SDK has checked the envelope of the request, and lets it be looked at under no type.
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]
}

/** One that names no mode means forms; the modes came later. */
function takesForms(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

const KEY = 'consent'

interface State {
  readonly question: string
}

/** The client comes back with the answer, and with the proof that it was asked this. */
async function askModern(
  question: Question,
  context: ServerContext,
): Promise<Decision | InputRequiredResult> {
  const { inputResponses, requestState } = context.mcpReq
  if (requestState<State>()?.question === question.id) {
    const answer = inputResponse(inputResponses, KEY)
    return answer.kind === 'elicit' ? decisionOf(answer, question) : 'no'
  }
  return inputRequired({
    inputRequests: { [KEY]: inputRequired.elicit(formOf(question)) },
    requestState: await states().mint({ question: question.id }, context),
  })
}

let codec: RequestStateCodec<State> | undefined

/** Sealed with a key of this process: a client cannot make one up. */
function states(): RequestStateCodec<State> {
  codec ??= createRequestStateCodec<State>({ key: randomBytes(32), bind: ({ mcpReq }) => mcpReq.method })
  return codec
}

/** What a client sends back is what this process gave out. */
export const REQUEST_STATE = {
  verify: (state: string, context: ServerContext) => states().verify(state, context),
}

const WORDS = { once: 'allow once', always: 'allow always', no: 'deny' } as const

function formOf({ text, canBeOnce }: Question) {
  const choices = canBeOnce ? [WORDS.once, WORDS.always, WORDS.no] : [WORDS.always, WORDS.no]
  return {
    message: text,
    requestedSchema: {
      type: 'object' as const,
      properties: {
        decision: {
          type: 'string' as const,
          title: 'Decision',
          description: '`orla revoke` takes back what is always allowed',
          enum: [...choices],
        },
      },
      required: ['decision'],
    },
  }
}

/** Only a clear yes is one. */
function decisionOf(
  {
    action,
    content,
  }: { readonly action: string; readonly content?: Readonly<Record<string, unknown>> | undefined },
  { canBeOnce }: Question,
): Decision {
  if (action !== 'accept') return 'no'
  if (content?.decision === WORDS.always) return 'always'
  return canBeOnce && content?.decision === WORDS.once ? 'once' : 'no'
}
