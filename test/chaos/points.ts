// A host that dies at a named point, in the middle of a send and of messages that arrive, and what is true after its next start.

import type { CrashPoint } from '../../session-host/crash-points.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { type HostProcess, type ProcessWorld, startProcessWorld } from '../host/process.ts'
import { createTextInput } from '../host/world.ts'
import { until } from '../until.ts'

export interface PointVerdict {
  point: CrashPoint
  /** What became of the send that was under way. */
  outcome: string
  /** Messages of people that were never reported. */
  missing: number
  /** Messages reported as two events, or as an event whose bytes changed. */
  altered: number
  /** Sends that reached the phone twice, or once without being allowed to: refused, or never begun. */
  doubled: number
  /** Sends reported as done that did not reach the phone. */
  untrue: number
  /** Acts whose outcome did not come in time. */
  stuck: number
  /** Devices that are not the one that was linked. */
  toPairAgain: number
}

export const isPointClean = ({
  missing,
  altered,
  doubled,
  untrue,
  stuck,
  toPairAgain,
}: PointVerdict): boolean => missing + altered + doubled + untrue + stuck + toPairAgain === 0

export interface Scaffold {
  /** Ends the host at that point; the next start is part of it. */
  crashAtPoint(point: CrashPoint): Promise<PointVerdict>
  close(): Promise<void>
}

const ANNA = '5511690000001'
const BEN = '5511690000002'
const MESSAGES = 10
const SETTLES_WITHIN_MS = 20_000

export async function startScaffold(): Promise<Scaffold> {
  const world = await startProcessWorld()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const first = world.runHost()
  const instance = await world.linkPhone(ANNA)
  await sendMessage(world, instance, 'before all').outcome
  await stopHost(first)

  return {
    async crashAtPoint(point) {
      const host = await startHost(world, instance, { CRASH_AT: point })
      host.child.kill('SIGUSR2')
      await until(() => host.readLines().some(({ crashAt }) => crashAt === point))
      const sent = sendMessage(world, instance, `sent ${point}`)
      const texts = Array.from({ length: MESSAGES }, (_, n) => `${point} ${n}`)
      await Promise.all(texts.map((text) => world.sim('POST', '/messages', { from: BEN, to: ANNA, text })))
      await until(() => host.child.signalCode === 'SIGKILL')

      const again = await startHost(world, instance)
      world.edge.sendFrames({ t: 'what', id: sent.id })
      const outcome = await sent.outcome.catch(() => 'stuck' as const)
      const listMissing = () => texts.filter((text) => !world.listTexts(instance).includes(text))
      await until(() => listMissing().length === 0, { within: SETTLES_WITHIN_MS }).catch(() => undefined)
      // One more each way: the ratchets of both sides still fit.
      const next = await sendMessage(world, instance, `next ${point}`).outcome
      const times = await countArrivals(world)
      const [before, after] = [times(`sent ${point}`), times(`next ${point}`)]
      const { companions } = await world.sim<{ companions: { device: number }[] }>('GET', `/phones/${ANNA}`)
      await stopHost(again)
      return {
        point,
        outcome,
        missing: listMissing().length,
        altered: countChangedEvents(world, instance),
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

async function startHost(world: ProcessWorld, instance: string, env = {}): Promise<HostProcess> {
  const before = world.edge.listStates(instance).length
  const host = world.runHost(env)
  await until(() => world.edge.listStates(instance).slice(before).at(-1)?.loggedIn)
  return host
}

async function stopHost({ child, ended }: HostProcess): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

/** Sends an act to the host, and returns the outcome that the host reports. */
function sendMessage({ edge }: ProcessWorld, instance: string, text: string) {
  const id = crypto.randomUUID()
  const input = createTextInput(`${BEN}@s.msgnet.net`, text)
  edge.sendFrames({ t: 'act', id, instance, epoch: 1, action: 'message.sendText', input, budget: 10_000 })
  const findOutcome = () => edge.frames.find((frame) => isOutcome(frame) && frame.id === id)
  const outcome = until(findOutcome, { within: 2 * SETTLES_WITHIN_MS }).then((frame): string =>
    frame.t === 'outcome' ? (frame.outcome as Outcome).kind : frame.t,
  )
  return { id, outcome }
}

const isOutcome = (frame: {
  t: string
}): frame is { t: 'outcome' | 'not_started'; id: string; outcome: Outcome } =>
  frame.t === 'outcome' || frame.t === 'not_started'

async function countArrivals(world: ProcessWorld): Promise<(text: string) => number> {
  const { messages } = await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)
  return (text) => messages.filter((message) => message.text === text).length
}

function countChangedEvents(world: ProcessWorld, instance: string): number {
  const reported = world.edge.listEvents(instance, 'messages')
  const byMessage = Map.groupBy(
    reported,
    ({ payload }) => (payload.message as { messageid: string }).messageid,
  )
  const hasDifferences = (same: typeof reported) =>
    new Set(same.map((event) => JSON.stringify(event))).size > 1
  return [...byMessage.values()].filter(hasDifferences).length
}
