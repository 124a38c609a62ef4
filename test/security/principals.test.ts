import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeProject, ok, type Server } from '../stories/project.ts'
import { packageFiles } from '../stories/repositories.ts'

const TOKENS = { ORLA_AUTH_TOKEN: 'token-of-the-operator-0123', CI_TOKEN: 'token-of-the-ci-0123456789' }

/** A client that says yes to whatever it is asked; what it was asked. */
async function eager(server: Server, token: string): Promise<{ asked: string[]; call(): Promise<unknown> }> {
  const asked: string[] = []
  const client = new Client(
    { name: 'eager', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { decision: 'allow always' } }
  })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }))
  onTestFinished(() => client.close())
  return { asked, call: () => client.callTool({ name: 'fs', arguments: {} }) }
}

describe('a client that was let in under a name', () => {
  it('Q90: accepts nothing for the one who runs the server, who is asked and can', async () => {
    const project = makeProject({ 'orla.yaml': 'auth:\n  tokens:\n    - {name: ci, env: CI_TOKEN}\n' })
    const files = packageFiles('fs', '1.0.0', 'permissions: ["filesystem:read"]\n')
    project.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`source/${path}`, text])))
    ok(await project.orla(['install', '--local', 'source', '--yes']))
    ok(await project.orla(['revoke', 'fs']))
    const server = await project.serve(['--port', '0'], { env: TOKENS })
    const ci = await eager(server, TOKENS.CI_TOKEN)
    expect(await ci.call()).toMatchObject({ isError: true, _meta: { 'orla/reason': 'denied' } })
    expect(ci.asked).toEqual([])
    const operator = await eager(server, TOKENS.ORLA_AUTH_TOKEN)
    expect(await operator.call()).toMatchObject({ content: [{ text: 'fs 1.0.0\n' }] })
    expect(operator.asked).toHaveLength(1)
    expect(await ci.call()).toMatchObject({ content: [{ text: 'fs 1.0.0\n' }] })
  })
})
