// The other end of a host's link, in the test's own process: it speaks the shared frames and stores what it receives.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventReport, ReceivedReport, Report, StateReport } from '@msgnet/shared/wire/host-reports.ts'
import { type EdgeFrame, type HostFrame, parseHostFrames } from '@msgnet/shared/wire/link-frames.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput, ActionName, ActionResult } from '@msgnet/shared/wire/session-actions.ts'
import { TRANSFER_END } from '@msgnet/shared/wire/transfer-end.ts'
import { type WebSocket, WebSocketServer } from 'ws'
import { until } from '../until.ts'

export async function startEdgeStandIn(port = 0): Promise<EdgeStandIn> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return new EdgeStandIn(server)
}

interface ActionOptions {
  /** In milliseconds. */
  budget?: number
  epoch?: number
  id?: string
  /** The chats that the caller may see; absent for all. */
  chats?: string[]
}

export class EdgeStandIn {
  readonly url: string
  /** In the order of arrival, repeated ones included. */
  readonly reports: Report[] = []
  readonly frames: HostFrame[] = []
  /** Reports are acknowledged as they arrive. */
  acknowledging = true
  /** No webhook gets the parts of a history. */
  isHistoryUnwanted = false
  /** Outcomes are confirmed as they arrive; without that the host stores them. */
  seeing = true
  /** Heartbeats are answered. */
  answering = true
  /** What hosts can download, by the names of transfers. */
  readonly files = new Map<string, string>()
  release: string[] = []
  gone: string[] = []
  authorization = ''
  readonly #server: Server
  readonly #sockets: WebSocketServer
  #current: WebSocket | undefined
  #isWelcomed = false

  constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => this.#serveFile(request, response))
    this.#sockets = new WebSocketServer({ server, path: '/hosts/v1/link' })
    this.#sockets.on('connection', (socket, request) => this.#accept(socket, request))
  }

  listStates(instance: string): StateReport['state'][] {
    return this.reports
      .filter((report) => report.t === 'state' && report.instance === instance)
      .map((report) => (report as StateReport).state)
  }

  listEvents(instance: string, type?: EventReport['type']): EventReport[] {
    return this.reports.filter(
      (report): report is EventReport =>
        report.t === 'event' && report.instance === instance && (!type || report.type === type),
    )
  }

  async performAction<Name extends ActionName>(
    instance: string,
    action: Name,
    input: ActionInput<Name>,
    { budget = 10_000, epoch = 1, id = crypto.randomUUID() as string, chats }: ActionOptions = {},
  ): Promise<Outcome<ActionResult<Name>>> {
    await this.waitUntilLinked()
    this.sendFrames({ t: 'act', id, instance, epoch, action, input, budget, ...(chats && { chats }) })
    return (await this.waitForOutcome(id)) as never
  }

  waitForOutcome(id: string): Promise<Outcome> {
    return until(() => {
      const frame = this.frames.find((received) => received.t === 'outcome' && received.id === id)
      return frame?.t === 'outcome' && frame.outcome
    })
  }

  sendFrames(...frames: EdgeFrame[]): void {
    this.#current?.send(JSON.stringify(frames))
  }

  sendText(text: string): void {
    this.#current?.send(text)
  }

  /** Cuts the present connection. */
  cutLink(code?: number): void {
    if (code) this.#current?.close(code)
    else this.#current?.terminate()
  }

  async waitUntilLinked(): Promise<void> {
    await until(() => this.#isWelcomed)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serveFile({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const file = this.files.get(new URL(url, this.url).searchParams.get('name') ?? '')
    response.writeHead(file === undefined ? 404 : 200)
    if (file !== undefined) response.write(file)
    response.end(file === undefined ? '' : TRANSFER_END)
  }

  #accept(socket: WebSocket, request: IncomingMessage): void {
    this.#current?.terminate()
    this.#current = socket
    this.#isWelcomed = false
    this.authorization = request.headers.authorization ?? ''
    socket.on('message', (data) => {
      const parsed = parseHostFrames(String(data))
      if (!parsed) throw new Error(`the host sent an invalid frame: ${String(data).slice(0, 200)}`)
      for (const frame of parsed) this.#receiveFrame(frame)
    })
    socket.on('close', () => {
      if (this.#current === socket) this.#isWelcomed = false
    })
  }

  #receiveFrame(frame: HostFrame): void {
    this.frames.push(frame)
    switch (frame.t) {
      case 'hello':
        this.#welcome()
        return
      case 'beat':
        if (this.answering) this.sendFrames({ t: 'beaten' })
        return
      case 'events':
        this.reports.push(...frame.items.filter((item) => item.t !== 'unreadable'))
        if (this.acknowledging) this.#acknowledge(frame.items)
        return
      case 'outcome':
        if (this.seeing) this.sendFrames({ t: 'seen', id: frame.id })
        return
    }
  }

  #acknowledge(items: ReceivedReport[]): void {
    const parts = items.filter((item) => item.t === 'event').filter(({ type }) => type === 'history')
    const unwanted = this.isHistoryUnwanted ? parts.map(({ instance, id }) => ({ instance, id })) : []
    this.sendFrames({ t: 'ack', upTo: items.at(-1)?.n ?? 0, moved: [], unwanted })
  }

  #welcome(): void {
    this.sendFrames({
      t: 'welcome',
      host: crypto.randomUUID(),
      heartbeatMs: 200,
      leaseMs: 30_000,
      credit: 2,
      release: this.release,
      gone: this.gone,
    })
    this.#isWelcomed = true
  }
}
