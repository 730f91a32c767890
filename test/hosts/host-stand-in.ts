// The other end of the edge's links: a host of the test's own that speaks the frames and keeps no session.

import {
  type EdgeFrame,
  type HostFrame,
  parseEdgeFrames,
  WIRE_VERSION,
} from '@msgnet/shared/wire/link-frames.ts'
import type { RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import { WebSocket } from 'ws'
import { until } from '../until.ts'
import type { World } from '../world.ts'

type Frame<T extends EdgeFrame['t']> = Extract<EdgeFrame, { t: T }>

export const createConnectedState = (jid: string): SessionState => ({
  rev: 1,
  status: 'connected',
  connected: true,
  loggedIn: true,
  jid,
  lid: '',
  profileName: '',
  pairing: null,
  lastDisconnect: 0,
  lastDisconnectReason: '',
})

export async function registerStandIn(world: World, store: string, region = 'here'): Promise<HostStandIn> {
  const { host, token } = (await world.admin.post('/v1/hosts', { region })).body
  return new HostStandIn(world, store, host.id, token)
}

export class HostStandIn {
  readonly id: string
  readonly frames: EdgeFrame[] = []
  /** Its result of every action but a deletion. */
  state = createConnectedState('5511600000001@s.msgnet.net')
  /** Slots that it reports. */
  claims = 10
  /** Sessions that its beats report. */
  running = 0
  /** The token that it dials with. */
  token: string
  /** The code with which its last link was closed. */
  closedWith = 0
  /** Its results of actions, by their names, in place of the state. */
  results: Record<string, (input: Record<string, unknown>) => unknown> = {}
  /** Its outcome of every action, in place of the state. */
  refusal: RefusedOutcome | undefined
  /** Without it acts are accepted, and get no outcome. */
  answering = true
  readonly #world: World
  readonly #store: string
  /** Of its process. */
  readonly boot = crypto.randomUUID()
  #socket: WebSocket | undefined
  #heartbeat: NodeJS.Timeout | undefined

  constructor(world: World, store: string, id: string, token: string) {
    this.#world = world
    this.#store = store
    this.id = id
    this.token = token
  }

  /** Another process that was started with the same token. */
  createTwin(): HostStandIn {
    return new HostStandIn(this.#world, this.#store, this.id, this.token)
  }

  sendFrames(...frames: HostFrame[]): void {
    this.#socket?.send(JSON.stringify(frames))
  }

  /** Waits for the first frame of this type on the present link. */
  async waitForFrame<T extends EdgeFrame['t']>(
    t: T,
    matches: (frame: Frame<T>) => boolean = () => true,
  ): Promise<Frame<T>> {
    return until(() =>
      this.frames.find((frame): frame is Frame<T> => frame.t === t && matches(frame as Frame<T>)),
    )
  }

  /** Dials anew and says hello with these sessions. */
  async dialEdge(sessions: { instance: string; epoch: number }[] = []): Promise<Frame<'welcome'>> {
    this.hangUp()
    this.frames.length = 0
    const headers = { authorization: `Bearer ${this.token}` }
    const url = `${this.#world.run.baseUrl.replace('http', 'ws')}/hosts/v1/link`
    const socket = new WebSocket(url, { headers })
    this.#socket = socket
    socket.on('close', (code) => {
      this.closedWith = code
    })
    socket.on('message', (data) => {
      for (const frame of parseEdgeFrames(String(data)) ?? []) this.#receiveFrame(frame)
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    this.sendFrames({
      t: 'hello',
      wire: WIRE_VERSION,
      boot: this.boot,
      store: this.#store,
      slots: this.claims,
      sessions: sessions.map((session) => ({ ...session, status: 'connected' as const })),
    })
    return this.waitForFrame('welcome')
  }

  hangUp(): void {
    clearInterval(this.#heartbeat)
    this.#socket?.terminate()
  }

  /** Closes the link, and resolves when the edge has closed it too. */
  async sendGoodbye(): Promise<void> {
    clearInterval(this.#heartbeat)
    const closed = new Promise<void>((resolve) => this.#socket?.once('close', () => resolve()))
    this.#socket?.close(1000)
    await closed
  }

  #receiveFrame(frame: EdgeFrame): void {
    this.frames.push(frame)
    if (frame.t === 'welcome') {
      const sendBeat = () => this.sendFrames({ t: 'beat', sessions: this.running, lag: 0, outbox: 0 })
      this.#heartbeat = setInterval(sendBeat, frame.heartbeatMs)
    }
    if (frame.t !== 'act') return
    const state = frame.action === 'session.delete' ? { unlinked: true } : this.state
    const result = this.results[frame.action]?.(frame.input as Record<string, unknown>) ?? state
    this.sendFrames({ t: 'accepted', id: frame.id })
    const { id, instance } = frame
    const outcome = this.refusal ?? { kind: 'done' as const, result }
    if (this.answering) this.sendFrames({ t: 'outcome', id, instance, outcome })
  }
}
