// A client of `/mcp` that wants a token, as its standards have it: requests by hand, for tests of each step.

import { createHash, randomBytes } from 'node:crypto'
import { toolSets } from '@msgnet/shared/contract/tool-sets.ts'
import { type ApiResponse, createPlainCaller } from './caller.ts'

/** Those of `mcp.test.ts`, so that the same gateway is lent. */
export const authorizingGateway = {
  MCP: 'write',
  MCP_TOOLS: [...Object.keys(toolSets), ...Object.keys(toolSets)].reverse().join(),
}

export const callback = 'http://127.0.0.1:8123/callback'

type Fields = Record<string, string | string[] | undefined>

/** A field that is undefined is left out, and a list is given several times. */
function toQuery(fields: Fields): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const each of value === undefined ? [] : [value].flat()) query.append(name, each)
  return query
}

export function createClient(baseUrl: string) {
  const open = createPlainCaller(baseUrl, {})
  const resource = `${baseUrl}/mcp`

  async function register(redirect_uris: string[] = [callback]): Promise<string> {
    const { status, body, text } = await open.post('/oauth/register', { client_name: 'Agent', redirect_uris })
    if (status !== 201) throw new Error(text)
    return body.client_id
  }

  function startRequest(clientId: string, fields: Fields = {}) {
    const verifier = randomBytes(32).toString('base64url')
    const query = toQuery({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource,
      scope: 'send',
      state: 'of the client',
      ...fields,
    })
    return { clientId, verifier, query: `?${query}` }
  }

  type Started = ReturnType<typeof startRequest>

  const readDetails = ({ query }: Started, token: string): Promise<ApiResponse> =>
    open.post('/oauth/authorize/details', { query }, { token })

  const consent = ({ query }: { query: string }, credential: Record<string, string>, more: object = {}) =>
    open.post('/oauth/authorize/consent', { query, scope: 'read', expiresIn: 3600, ...more }, credential)

  /** A code that a person has allowed. */
  async function obtainCode(started: Started, token: string, more?: object): Promise<string> {
    const { status, body, text } = await consent(started, { token }, more)
    if (status !== 200) throw new Error(text)
    return new URL(body.returnTo).searchParams.get('code') ?? ''
  }

  async function postForm(fields: Fields, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return open.post('/oauth/token', String(toQuery(fields)), { ...type, ...headers })
  }

  const exchange = ({ clientId, verifier }: Started, code: string, fields: Fields = {}) =>
    postForm({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: callback,
      code_verifier: verifier,
      resource,
      ...fields,
    })

  return { open, resource, register, startRequest, readDetails, consent, obtainCode, postForm, exchange }
}
