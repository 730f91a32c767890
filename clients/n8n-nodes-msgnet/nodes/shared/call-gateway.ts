// One request to the gateway with the token of the credential, and what becomes of a refusal.

import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  IN8nHttpFullResponse,
  JsonObject,
} from 'n8n-workflow'
import { NodeApiError } from 'n8n-workflow'

export const CREDENTIAL = 'msgnetApi'

export type Caller = IExecuteFunctions | IHookFunctions

export interface GatewayRequest {
  method: IHttpRequestMethods
  path: string
  body?: IDataObject
  query?: IDataObject
  /** The Idempotency-Key. */
  key?: string
  encoding?: 'stream'
  /** A status that is no failure here. */
  accepts?: number
}

/** The code of an unknown outcome: what was requested may have happened. */
const UNKNOWN = 'outcome_unknown'

export async function callGateway(
  caller: Caller,
  request: GatewayRequest,
  itemIndex = 0,
): Promise<IN8nHttpFullResponse> {
  const options = await buildOptions(caller, request)
  let response: IN8nHttpFullResponse
  try {
    response = await caller.helpers.httpRequestWithAuthentication.call(caller, CREDENTIAL, options)
  } catch (error) {
    throw renameError(
      new NodeApiError(caller.getNode(), error as JsonObject, { itemIndex }),
      'The gateway did not respond',
      describeNoResponse(request),
    )
  }
  if (response.statusCode < 300 || response.statusCode === request.accepts) return response
  throw buildFault(caller, response, await readFault(response.body), itemIndex)
}

async function buildOptions(caller: Caller, request: GatewayRequest): Promise<IHttpRequestOptions> {
  const { method, path, body, query, key, encoding } = request
  const { baseUrl } = await caller.getCredentials<{ baseUrl: string }>(CREDENTIAL)
  return {
    method,
    baseURL: baseUrl.replace(/\/+$/, ''),
    url: path,
    ...(body && { body }),
    ...(query && { qs: query }),
    ...(key && { headers: { 'Idempotency-Key': key } }),
    ...(encoding ? { encoding } : { json: true }),
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    // A token must not follow a redirect to another place.
    disableFollowRedirect: true,
  }
}

const describeNoResponse = ({ key }: GatewayRequest): string =>
  key
    ? 'Check the base URL of the credential. The request may have arrived: a retry of this node has the same Idempotency-Key, so nothing happens twice.'
    : 'Check the base URL of the credential.'

/** The gateway's own code and words, as an error that n8n shows. */
function buildFault(
  caller: Caller,
  { statusCode, headers }: IN8nHttpFullResponse,
  fault: IDataObject,
  itemIndex: number,
): NodeApiError {
  const { error = `status_${statusCode}`, message } = fault
  const details = Object.entries(fault)
    .filter(([name]) => name !== 'error' && name !== 'message')
    .map(([name, value]) => `${name}: ${value}`)
  const wait = headers['retry-after']
  const description = [
    `Code ${error}`,
    ...details,
    ...(wait ? [`retry after ${wait} s`] : []),
    ...(headers['x-request-id'] ? [`request ${headers['x-request-id']}`] : []),
    ...(error === UNKNOWN
      ? [
          'the message may have been sent; a retry of this node has the same key, returns what became of it and sends nothing twice',
        ]
      : []),
  ].join(', ')
  const words = message ? String(message) : `The gateway responded with ${statusCode}`
  const options = { httpCode: String(statusCode), itemIndex }
  const failure = new NodeApiError(caller.getNode(), fault as JsonObject, options)
  return Object.assign(renameError(failure, words, description), { fault: { ...fault, error } })
}

/** n8n puts its own words in place of those that it is given for known codes and statuses, and they say less. */
function renameError(failure: NodeApiError, message: string, description: string): NodeApiError {
  return Object.assign(failure, { message, description })
}

async function readFault(body: unknown): Promise<IDataObject> {
  const read = isStream(body) ? parseFault(await readText(body)) : body
  return typeof read === 'object' && read !== null ? (read as IDataObject) : {}
}

type Stream = AsyncIterable<Uint8Array>

const isStream = (body: unknown): body is Stream =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

async function readText(stream: Stream): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function parseFault(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy between n8n and the gateway writes pages.
    return {}
  }
}

/** What an item shows of a failure when the workflow goes on: by these three names n8n knows it for its error output. */
export function describeFailure(failure: { message: string; fault?: IDataObject }): IDataObject {
  const { error = 'failed', message: _, ...details } = failure.fault ?? {}
  return { error, message: failure.message, ...(Object.keys(details).length > 0 && { details }) }
}
