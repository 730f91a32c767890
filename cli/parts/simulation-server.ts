// The simulation of `npm start`: a loopback listener through which the console's page of that name reaches the simulated
// network, a webhook receiver with chosen responses, and the kill of the session host. Only the edge knows its key.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IDLE_CONNECTION_MS } from '@msgnet/shared/node/idle-connections.ts'
import { BodyTooLargeError, readBody } from '@msgnet/shared/node/read-request-body.ts'

interface Received {
  at: number
  id: string
  type: string
  /** The status of the response. */
  status: number
}

/** The last delivery of `POST /webhook/test` as it came, to verify its signature: the body is base64, because the signature is over its bytes. */
interface Delivery {
  headers: Record<string, string>
  body: string
}

const MAX_RECEIVED = 100
const MAX_BODY_BYTES = 16 * 1024 * 1024

interface SimulationInput {
  simulatorPort: number
  /** Process id of the session host; undefined while there is none. */
  getHostPid(): number | undefined
}

export class SimulationServer {
  readonly key = randomBytes(24).toString('base64url')
  readonly #input: SimulationInput
  readonly #received: Received[] = []
  #lastTest: Delivery | undefined
  readonly #server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS }, (request, response) => {
    this.#handleRequest(request, response).catch((error: Error) =>
      respondJson(response, error instanceof BodyTooLargeError ? 413 : 502, { error: error.message }),
    )
  })
  /** The status with which the receiver responds. */
  #answer = 204

  static async open(input: SimulationInput): Promise<SimulationServer> {
    const simulation = new SimulationServer(input)
    await once(simulation.#server.listen(0, '127.0.0.1'), 'listening')
    return simulation
  }

  private constructor(input: SimulationInput) {
    this.#input = input
  }

  get url(): string {
    return `http://${this.place}`
  }

  /** `host:port` of the receiver, for the edge's allowlist. */
  get place(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close(() => this.#server.closeAllConnections())
  }

  async #handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const body = await readBody(request, MAX_BODY_BYTES)
    if (method === 'POST' && url === '/hook') return this.#receiveDelivery(request, body, response)
    if (request.headers.authorization !== `Bearer ${this.key}`)
      return respondJson(response, 401, { error: 'unauthorized' })
    if (url.startsWith('/sim/')) return this.#forwardToSimulator(method, url, body, response)
    if (method === 'GET' && url === '/receiver/test') return this.#respondTestDelivery(response)
    if (url === '/receiver') return this.#configureReceiver(method, body, response)
    if (method === 'POST' && url === '/host/kill') return this.#killHost(response)
    respondJson(response, 404, { error: 'no such route' })
  }

  #receiveDelivery(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const names = readNames(request, body)
    this.#received.unshift({ at: Date.now(), ...names, status: this.#answer })
    this.#received.length = Math.min(this.#received.length, MAX_RECEIVED)
    const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const headers = Object.fromEntries(signed.map((name) => [name, String(request.headers[name] ?? '')]))
    if (names.type === 'test') this.#lastTest = { headers, body: body.toString('base64') }
    response.writeHead(this.#answer).end()
  }

  #respondTestDelivery(response: ServerResponse): void {
    if (this.#lastTest) respondJson(response, 200, this.#lastTest)
    else respondJson(response, 404, { error: 'no test was delivered yet' })
  }

  async #forwardToSimulator(
    method: string,
    url: string,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const upstream = await fetch(`http://127.0.0.1:${this.#input.simulatorPort}${url}`, {
      method,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(await upstream.text())
  }

  #configureReceiver(method: string, body: Buffer, response: ServerResponse): void {
    const requested = method === 'POST' ? Number(JSON.parse(body.toString()).answer) : this.#answer
    if (!(requested >= 200 && requested <= 599)) {
      respondJson(response, 400, { error: 'answer must be 200 to 599' })
      return
    }
    this.#answer = requested
    respondJson(response, 200, { url: `${this.url}/hook`, answer: requested, received: this.#received })
  }

  #killHost(response: ServerResponse): void {
    const pid = this.#input.getHostPid()
    if (!pid) {
      respondJson(response, 409, { error: 'the session host is not running' })
      return
    }
    process.kill(pid, 'SIGKILL')
    respondJson(response, 200, { killed: pid })
  }
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
