// The other end of a host's link, in the test's own process: it speaks the shared frames and keeps what it was told.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { EventReport, Report, StateReport } from '../../shared/wire/host-reports.ts'
import { type EdgeFrame, type HostFrame, parseHostFrames } from '../../shared/wire/link-frames.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import type { ActionInput, ActionName, ActionResult } from '../../shared/wire/session-actions.ts'
import { until } from '../until.ts'

export interface EdgeStandIn {
  url: string
  /** In the order of arrival, with those that came again. */
  readonly reports: Report[]
  readonly frames: HostFrame[]
  /** Reports are acknowledged as they come; held back, they are not. */
  acknowledging: boolean
  /** Outcomes are seen as they come; unseen, the host keeps them. */
  seeing: boolean
  /** Heartbeats are answered. */
  answering: boolean
  release: string[]
  gone: string[]
  readonly authorization: string
  listStates(instance: string): StateReport['state'][]
  listEvents(instance: string, type?: EventReport['type']): EventReport[]
  performAction<Name extends ActionName>(
    instance: string,
    action: Name,
    input: ActionInput<Name>,
    options?: { budget?: number; epoch?: number; id?: string },
  ): Promise<Outcome<ActionResult<Name>>>
  waitForOutcome(id: string): Promise<Outcome>
  sendFrames(...frames: EdgeFrame[]): void
  sendText(text: string): void
  /** Cuts the connection that is there. */
  cutLink(code?: number): void
  waitUntilLinked(): Promise<void>
  close(): Promise<void>
}

export async function startEdgeStandIn(port = 0): Promise<EdgeStandIn> {
  const server = createServer()
  const sockets = new WebSocketServer({ server, path: '/hosts/v1/link' })
  const frames: HostFrame[] = []
  const reports: Report[] = []
  let current: WebSocket | undefined
  let welcomed = false
  let authorization = ''

  const sendFrames = (...sent: EdgeFrame[]) => current?.send(JSON.stringify(sent))

  function receiveFrame(frame: HostFrame): void {
    frames.push(frame)
    switch (frame.t) {
      case 'hello': {
        const terms = { heartbeatMs: 200, leaseMs: 30_000, credit: 2 }
        sendFrames({
          t: 'welcome',
          host: crypto.randomUUID(),
          ...terms,
          release: edge.release,
          gone: edge.gone,
        })
        welcomed = true
        return
      }
      case 'beat':
        if (edge.answering) sendFrames({ t: 'beaten' })
        return
      case 'events': {
        reports.push(...frame.items.filter((item) => item.t !== 'unreadable'))
        const last = frame.items.at(-1)
        if (last && edge.acknowledging) sendFrames({ t: 'ack', upTo: last.n, moved: [] })
        return
      }
      case 'outcome':
        if (edge.seeing) sendFrames({ t: 'seen', id: frame.id })
        return
    }
  }

  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    current?.terminate()
    current = socket
    welcomed = false
    authorization = request.headers.authorization ?? ''
    socket.on('message', (data) => {
      const parsed = parseHostFrames(String(data))
      if (!parsed) throw new Error(`the host sent what is no frame: ${String(data).slice(0, 200)}`)
      for (const frame of parsed) receiveFrame(frame)
    })
    socket.on('close', () => {
      if (current === socket) welcomed = false
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  const edge: EdgeStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reports,
    frames,
    acknowledging: true,
    seeing: true,
    answering: true,
    release: [],
    gone: [],
    get authorization() {
      return authorization
    },
    listStates: (instance) =>
      reports
        .filter((report) => report.t === 'state' && report.instance === instance)
        .map((report) => (report as StateReport).state),
    listEvents: (instance, type) =>
      reports.filter(
        (report): report is EventReport =>
          report.t === 'event' && report.instance === instance && (!type || report.type === type),
      ),
    async performAction(
      instance,
      action,
      input,
      { budget = 10_000, epoch = 1, id = crypto.randomUUID() } = {},
    ) {
      await edge.waitUntilLinked()
      sendFrames({ t: 'act', id, instance, epoch, action, input, budget })
      return (await edge.waitForOutcome(id)) as never
    },
    waitForOutcome: (id) =>
      until(() => {
        const frame = frames.find((sent) => sent.t === 'outcome' && sent.id === id)
        return frame?.t === 'outcome' && frame.outcome
      }),
    sendFrames,
    sendText: (text) => current?.send(text),
    cutLink: (code) => (code ? current?.close(code) : current?.terminate()),
    waitUntilLinked: async () => void (await until(() => welcomed)),
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return edge
}
