// The other end of the edge's links: a host of the test's own that speaks the frames and keeps no session.

import { WebSocket } from 'ws'
import {
  type EdgeFrame,
  type HostFrame,
  parseEdgeFrames,
  WIRE_VERSION,
} from '../../shared/wire/link-frames.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import { until } from '../until.ts'
import type { World } from '../world.ts'

type Frame<T extends EdgeFrame['t']> = Extract<EdgeFrame, { t: T }>

export interface HostStandIn {
  readonly id: string
  readonly frames: EdgeFrame[]
  /** What it answers to everything but a deletion. */
  state: SessionState
  /** Slots that it says it has. */
  claims: number
  /** What it dials with. */
  token: string
  /** Why its last link was closed, by the code. */
  closedWith: number
  /** Another process that was started with the same token. */
  createTwin(): HostStandIn
  /** Else acts are taken, and nothing more is heard of them. */
  answering: boolean
  sendFrames(...frames: HostFrame[]): void
  /** The first frame of this kind on the present link, waited for. */
  waitForFrame<T extends EdgeFrame['t']>(t: T, matches?: (frame: Frame<T>) => boolean): Promise<Frame<T>>
  /** Dials anew and says hello with these sessions. */
  dialEdge(sessions?: { instance: string; epoch: number }[]): Promise<Frame<'welcome'>>
  hangUp(): void
  /** The same, and the edge has taken notice when it resolves. */
  sendGoodbye(): Promise<void>
}

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
  return createStandIn(world, store, { id: host.id, token })
}

function createStandIn(
  world: World,
  store: string,
  { id, token }: { id: string; token: string },
): HostStandIn {
  const boot = crypto.randomUUID()
  let socket: WebSocket | undefined
  let heart: NodeJS.Timeout | undefined
  const frames: EdgeFrame[] = []

  const standIn: HostStandIn = {
    id,
    token,
    claims: 10,
    closedWith: 0,
    frames,
    state: createConnectedState('5511600000001@s.msgnet.net'),
    answering: true,
    createTwin: () => createStandIn(world, store, { id, token: standIn.token }),
    sendFrames: (...sent) => socket?.send(JSON.stringify(sent)),
    async waitForFrame(t, matches = () => true) {
      const found = await until(() => frames.find((frame) => frame.t === t && matches(frame as never)))
      return found as never
    },
    async dialEdge(sessions = []) {
      standIn.hangUp()
      frames.length = 0
      const headers = { authorization: `Bearer ${standIn.token}` }
      const dialled = new WebSocket(`${world.run.baseUrl.replace('http', 'ws')}/hosts/v1/link`, { headers })
      socket = dialled
      dialled.on('close', (code) => {
        standIn.closedWith = code
      })
      dialled.on('message', (data) => {
        for (const frame of parseEdgeFrames(String(data)) ?? []) receiveFrame(frame)
      })
      await new Promise((resolve, reject) => dialled.once('open', resolve).once('error', reject))
      const reported = sessions.map((session) => ({ ...session, status: 'connected' as const }))
      standIn.sendFrames({
        t: 'hello',
        wire: WIRE_VERSION,
        boot,
        store,
        slots: standIn.claims,
        sessions: reported,
      })
      return standIn.waitForFrame('welcome')
    },
    hangUp() {
      clearInterval(heart)
      socket?.terminate()
    },
    async sendGoodbye() {
      clearInterval(heart)
      const closed = new Promise<void>((resolve) => socket?.once('close', () => resolve()))
      socket?.close(1000)
      await closed
    },
  }

  function receiveFrame(frame: EdgeFrame): void {
    frames.push(frame)
    if (frame.t === 'welcome') {
      const sendBeat = () => standIn.sendFrames({ t: 'beat', sessions: 0, lag: 0, outbox: 0 })
      heart = setInterval(sendBeat, frame.heartbeatMs)
    }
    if (frame.t !== 'act') return
    const result = frame.action === 'session.delete' ? { unlinked: true } : standIn.state
    const outcome = { kind: 'done' as const, result }
    standIn.sendFrames({ t: 'accepted', id: frame.id })
    if (standIn.answering) standIn.sendFrames({ t: 'outcome', id: frame.id, outcome })
  }
  return standIn
}
