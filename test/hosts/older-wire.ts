// A host of an earlier version: it says again what one said when it was recorded, under the ids of today's story.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import type { ApiResponse } from '../caller.ts'
import { until } from '../until.ts'
import type { World } from '../world.ts'

// biome-ignore lint/suspicious/noExplicitAny: frames of another version have no type of this one.
export type Frame = any

interface Line {
  from: 'edge' | 'host'
  frames: Frame[]
}

export const readRecorded = (wire: number): Line[] =>
  readFileSync(join(import.meta.dirname, 'recorded', `wire-${wire}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

export interface Dialled {
  /** What the edge has said, in order. */
  readonly received: Frame[]
  /** Code and reason, once it is closed. */
  readonly closed: { code: number; reason: string } | undefined
  sendFrames(...frames: Frame[]): void
  waitForFrame(matches: (frame: Frame) => boolean): Promise<Frame>
  /** From now on every act has its outcome from here at once. */
  answerActs(outcomeOf: (act: Frame) => Frame): void
  hangUp(): void
}

/** A link of a host that was registered for it; it says nothing by itself. */
export async function dialEdge(world: World): Promise<Dialled> {
  const { token } = (await world.admin.post('/v1/hosts', { region: 'here' })).body
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`${world.run.baseUrl.replace('http', 'ws')}/hosts/v1/link`, { headers })
  const received: Frame[] = []
  let closed: Dialled['closed']
  const sendFrames = (...frames: Frame[]) => socket.send(JSON.stringify(frames))
  let outcomeOf: ((act: Frame) => Frame) | undefined
  socket.on('message', (data) => {
    const frames: Frame[] = JSON.parse(String(data))
    received.push(...frames)
    for (const act of frames.filter(({ t }) => t === 'act'))
      if (outcomeOf) sendFrames({ t: 'outcome', id: act.id, instance: act.instance, outcome: outcomeOf(act) })
  })
  socket.on('close', (code, reason) => {
    closed = { code, reason: String(reason) }
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    received,
    get closed() {
      return closed
    },
    sendFrames,
    waitForFrame: (matches) => until(() => received.find(matches)),
    answerActs(createOutcome) {
      outcomeOf = createOutcome
    },
    hangUp: () => socket.terminate(),
  }
}

/** Plays the host's side. `sendRequest` makes today's caller request an action when the recorded caller did; returns the responses. */
export async function playLines(
  lines: Line[],
  link: Dialled,
  instance: string,
  sendRequest: (action: string) => Promise<ApiResponse>,
): Promise<ApiResponse[]> {
  const names = new Map<string, string>()
  const translateFrame = (frame: Frame): Frame => {
    let json = JSON.stringify(frame)
    for (const [then, now] of names) json = json.replaceAll(then, now)
    return JSON.parse(json)
  }
  const requests: Promise<ApiResponse>[] = []
  let beats = 0
  for (const { from, frames } of lines) {
    if (from === 'host') {
      link.sendFrames(...frames.map(translateFrame))
      continue
    }
    for (const frame of frames) {
      switch (frame.t) {
        case 'act': {
          const known = link.received.length
          requests.push(sendRequest(frame.action))
          const act = await link.waitForFrame((one) => one.t === 'act' && link.received.indexOf(one) >= known)
          names.set(frame.instance, instance).set(frame.id, act.id)
          if (frame.input.messageid) names.set(frame.input.messageid, act.input.messageid)
          break
        }
        case 'seen':
          await link.waitForFrame(({ t, id }) => t === 'seen' && id === names.get(frame.id))
          break
        case 'ack':
          await link.waitForFrame(({ t, upTo }) => t === 'ack' && upTo >= frame.upTo)
          break
        case 'beaten':
          beats++
          await until(() => link.received.filter(({ t }) => t === 'beaten').length >= beats)
          break
        default:
          await link.waitForFrame(({ t }) => t === frame.t)
      }
    }
  }
  return Promise.all(requests)
}

/** What of `then` is missing in `now`, or is of another type: paths into it. More in `now` is no fault. */
export function listMissing(then: Frame, now: Frame, at = ''): string[] {
  if (typeof then !== typeof now || Array.isArray(then) !== Array.isArray(now)) return [at]
  if (typeof then !== 'object' || then === null || now === null) return []
  if (Array.isArray(then))
    return then.length > 0 && now.length > 0 ? listMissing(then[0], now[0], `${at}[]`) : []
  return Object.entries(then).flatMap(([name, value]) => listMissing(value, now[name], `${at}.${name}`))
}
