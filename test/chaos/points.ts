// A host that dies at a named point, in the middle of a send and of messages that arrive, and what is true after its next start.

import type { CrashPoint } from '../../session-host/crash.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { type HostProcess, type ProcessWorld, startProcessWorld } from '../host/process.ts'
import { sentText } from '../host/world.ts'
import { until } from '../until.ts'

export interface PointVerdict {
  point: CrashPoint
  /** What became of the send that was under way. */
  outcome: string
  /** Messages of people that were never reported. */
  lost: number
  /** Messages reported as two events, or as an event whose bytes changed. */
  altered: number
  /** Sends that reached the phone twice, or once without being allowed to: refused, or never begun. */
  doubled: number
  /** Sends told as done that did not reach the phone. */
  untrue: number
  /** Acts whose outcome did not come in time. */
  stuck: number
  /** Devices that are not the one that was linked. */
  toPairAgain: number
}

export const pointIsClean = ({ lost, altered, doubled, untrue, stuck, toPairAgain }: PointVerdict): boolean =>
  lost + altered + doubled + untrue + stuck + toPairAgain === 0

export interface Scaffold {
  /** Ends the host at that point; the next start is part of it. */
  crashAt(point: CrashPoint): Promise<PointVerdict>
  close(): Promise<void>
}

const ANNA = '5511690000001'
const BEN = '5511690000002'
const MESSAGES = 10
const SETTLES_WITHIN_MS = 20_000

export async function startScaffold(): Promise<Scaffold> {
  const world = await startProcessWorld()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const first = world.run()
  const instance = await world.linked(ANNA)
  await send(world, instance, 'before all').outcome
  await stop(first)

  return {
    async crashAt(point) {
      const host = await start(world, instance, { CRASH_AT: point })
      host.child.kill('SIGUSR2')
      await until(() => host.lines().some(({ crashAt }) => crashAt === point))
      const sent = send(world, instance, `sent ${point}`)
      const texts = Array.from({ length: MESSAGES }, (_, n) => `${point} ${n}`)
      await Promise.all(texts.map((text) => world.sim('POST', '/messages', { from: BEN, to: ANNA, text })))
      await until(() => host.child.signalCode === 'SIGKILL')

      const again = await start(world, instance)
      world.edge.send({ t: 'what', id: sent.id })
      const outcome = await sent.outcome.catch(() => 'stuck' as const)
      const missing = () => texts.filter((text) => !world.texts(instance).includes(text))
      await until(() => missing().length === 0, { within: SETTLES_WITHIN_MS }).catch(() => undefined)
      // One more each way: the ratchets of both sides still fit.
      const next = await send(world, instance, `next ${point}`).outcome
      const times = await arrivals(world)
      const [before, after] = [times(`sent ${point}`), times(`next ${point}`)]
      const { companions } = await world.sim<{ companions: { device: number }[] }>('GET', `/phones/${ANNA}`)
      await stop(again)
      return {
        point,
        outcome,
        lost: missing().length,
        altered: altered(world, instance),
        doubled: [
          before > 1 || (before === 1 && (outcome === 'refused' || outcome === 'not_started')),
          after > 1,
        ].filter(Boolean).length,
        untrue: [outcome === 'done' && before === 0, next === 'done' && after === 0].filter(Boolean).length,
        stuck: [outcome, next].filter((how) => how === 'stuck').length,
        toPairAgain: companions.length === 1 && companions[0]?.device === 1 ? 0 : 1,
      }
    },
    close: world.close,
  }
}

async function start(world: ProcessWorld, instance: string, env = {}): Promise<HostProcess> {
  const told = world.edge.states(instance).length
  const host = world.run(env)
  await until(() => world.edge.states(instance).slice(told).at(-1)?.loggedIn)
  return host
}

async function stop({ child, ended }: HostProcess): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

/** An act handed to the host, and what the host says became of it. */
function send({ edge }: ProcessWorld, instance: string, text: string) {
  const id = crypto.randomUUID()
  const input = sentText(`${BEN}@s.msgnet.net`, text)
  edge.send({ t: 'act', id, instance, epoch: 1, action: 'message.sendText', input, budget: 10_000 })
  const told = () => edge.frames.find((frame) => isAnswer(frame) && frame.id === id)
  const outcome = until(told, { within: 2 * SETTLES_WITHIN_MS }).then((frame): string =>
    frame.t === 'outcome' ? (frame.outcome as Outcome).kind : frame.t,
  )
  return { id, outcome }
}

const isAnswer = (frame: {
  t: string
}): frame is { t: 'outcome' | 'not_started'; id: string; outcome: Outcome } =>
  frame.t === 'outcome' || frame.t === 'not_started'

async function arrivals(world: ProcessWorld): Promise<(text: string) => number> {
  const { messages } = await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)
  return (text) => messages.filter((message) => message.text === text).length
}

function altered(world: ProcessWorld, instance: string): number {
  const reported = world.edge.events(instance, 'messages')
  const byMessage = Map.groupBy(
    reported,
    ({ payload }) => (payload.message as { messageid: string }).messageid,
  )
  const differs = (same: typeof reported) => new Set(same.map((event) => JSON.stringify(event))).size > 1
  return [...byMessage.values()].filter(differs).length
}
