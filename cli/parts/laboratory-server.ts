// The laboratory of `npm start`: a loopback listener through which the console's page of that name reaches the simulated
// network, a webhook receiver with chosen answers, and the kill of the session host. Only the edge knows its key.

import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readBody } from '../http/read-request-body.ts'

export interface Laboratory {
  url: string
  key: string
  /** `host:port` of the receiver, for the edge's allowlist. */
  place: string
  close(): void
}

interface Received {
  at: number
  id: string
  type: string
  /** The answered status. */
  status: number
}

const MAX_RECEIVED = 100
const MAX_BODY_BYTES = 16 * 1024 * 1024

interface LaboratoryInput {
  simulatorPort: number
  /** Process id of the session host; undefined while there is none. */
  getHostPid(): number | undefined
}

export async function openLaboratory({ simulatorPort, getHostPid }: LaboratoryInput): Promise<Laboratory> {
  const key = randomBytes(24).toString('base64url')
  const received: Received[] = []
  let answer = 204

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const body = await readBody(request, MAX_BODY_BYTES)
    if (method === 'POST' && url === '/hook') {
      received.unshift({ at: Date.now(), ...readNames(request, body), status: answer })
      received.length = Math.min(received.length, MAX_RECEIVED)
      response.writeHead(answer).end()
      return
    }
    if (request.headers.authorization !== `Bearer ${key}`)
      return respondJson(response, 401, { error: 'unauthorized' })
    if (url.startsWith('/sim/')) return forwardToSimulator(method, url, body, response)
    if (url === '/receiver') {
      const requested = method === 'POST' ? Number(JSON.parse(body.toString()).answer) : answer
      if (!(requested >= 200 && requested <= 599))
        return respondJson(response, 400, { error: 'answer must be 200 to 599' })
      answer = requested
      return respondJson(response, 200, { url: `${laboratory.url}/hook`, answer, received })
    }
    if (method === 'POST' && url === '/host/kill') {
      const pid = getHostPid()
      if (!pid) return respondJson(response, 409, { error: 'the session host is not running' })
      process.kill(pid, 'SIGKILL')
      return respondJson(response, 200, { killed: pid })
    }
    respondJson(response, 404, { error: 'no such route' })
  }

  async function forwardToSimulator(
    method: string,
    url: string,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const upstream = await fetch(`http://127.0.0.1:${simulatorPort}${url}`, {
      method,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(await upstream.text())
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch((error: Error) =>
      respondJson(response, 502, { error: error.message }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const laboratory = { url: `http://${place}`, key, place, close: () => server.closeAllConnections() }
  return { ...laboratory, close: () => void server.close(laboratory.close) }
}

/** The delivery as far as it can be read; the receiver takes any body. */
function readNames(request: IncomingMessage, body: Buffer): { id: string; type: string } {
  const id = String(request.headers['webhook-id'] ?? '')
  try {
    return { id, type: String(JSON.parse(body.toString()).EventType) }
  } catch {
    return { id, type: '' }
  }
}

function respondJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
