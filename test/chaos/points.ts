// A host that dies at a named point, in the middle of a send and of messages that arrive, and what is true after its next start.

import { randomBytes } from 'node:crypto'
import { type CrashPoint, crashPoints } from '@msgnet/session-host/process/crash-points.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import { type HostProcess, type ProcessWorld, startProcessWorld } from '../host/process.ts'
import { createTextInput } from '../host/world.ts'
import { until } from '../until.ts'

/** Those that messages pass. `faults/import-crash` has the one that only an import does. */
export const messagePoints = crashPoints.filter((point) => point !== 'after-imported-keys')

export interface PointVerdict {
  point: CrashPoint
  /** What became of the send that was under way. */
  outcome: string
  /** Messages of people that were never reported. */
  missing: number
  /** Files of messages whose link was never reported. */
  filesMissing: number
  /** Messages reported as two events, or as an event whose bytes changed. */
  altered: number
  /** Sends that reached the phone twice, or once without being allowed to: refused, or never begun. */
  doubled: number
  /** Sends reported as done that did not reach the phone. */
  untrue: number
  /** 1 if the message that was scheduled came twice, or neither came nor was reported as unknown though it was accepted. */
  mistimed: number
  /** Acts whose outcome did not come in time. */
  stuck: number
  /** Devices that are not the one that was linked. */
  toPairAgain: number
}

export const isPointClean = ({
  missing,
  filesMissing,
  altered,
  doubled,
  untrue,
  mistimed,
  stuck,
  toPairAgain,
}: PointVerdict): boolean =>
  missing + filesMissing + altered + doubled + untrue + mistimed + stuck + toPairAgain === 0

/** Of a scheduled message, with which nothing else was under way. */
export interface DueVerdict {
  /** How often it reached the phone. */
  times: number
  /** Its outcome was reported as unknown. */
  isUnknown: boolean
}

export interface Scaffold {
  /** Ends the host at that point; the next start is part of it. */
  crashAtPoint(point: CrashPoint): Promise<PointVerdict>
  /** Ends the host when it passes that point with a message that was scheduled and is due. */
  crashDueSend(point: CrashPoint): Promise<DueVerdict>
  close(): Promise<void>
}

const ANNA = '5511690000001'
const BEN = '5511690000002'
const MESSAGES = 10
/** Of these every third one has a file. */
const FILE_EVERY = 3
/** And so many name one file. */
const SHARING = 3
const KEEP = { MEDIA: 'keep' }
const SETTLES_WITHIN_MS = 20_000
/** Long enough for a host to be armed meanwhile. */
const DUE_IN_MS = 5000

export async function startScaffold(): Promise<Scaffold> {
  const world = await startProcessWorld()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const first = world.runHost(KEEP)
  const instance = await world.linkPhone(ANNA)
  await sendMessage(world, instance, 'before all').outcome
  await stopHost(first)

  return {
    async crashAtPoint(point) {
      const host = await startHost(world, instance, { CRASH_AT: point })
      await armHost(host, point)
      const sent = sendMessage(world, instance, `sent ${point}`)
      const timed = scheduleMessage(world, instance, `timed ${point}`)
      const texts = Array.from({ length: MESSAGES }, (_, n) => `${point} ${n}`)
      const shared = `${point} shared`
      await Promise.all([
        writeFile(world, shared, SHARING),
        ...texts.map((text, n) => writeMessage(world, text, n % FILE_EVERY === 0)),
      ])
      await until(() => host.child.signalCode === 'SIGKILL')

      const again = await startHost(world, instance)
      world.edge.sendFrames({ t: 'what', id: sent.id })
      const outcome = await sent.outcome.catch(() => 'stuck' as const)
      const files = texts.filter((_, n) => n % FILE_EVERY === 0)
      const listMissing = () => texts.filter((text) => !world.listTexts(instance).includes(text))
      const captions = [...files, ...Array.from({ length: SHARING }, () => shared)]
      const countMissingFiles = () => captions.length - countFileLinks(world, instance, captions)
      await until(() => listMissing().length + countMissingFiles() === 0, {
        within: SETTLES_WITHIN_MS,
      }).catch(() => undefined)
      const mistimed = await countMistimed(world, instance, timed)
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
        filesMissing: countMissingFiles(),
        altered: countChangedEvents(world, instance),
        doubled: [
          before > 1 || (before === 1 && (outcome === 'refused' || outcome === 'not_started')),
          after > 1,
        ].filter(Boolean).length,
        untrue: [outcome === 'done' && before === 0, next === 'done' && after === 0].filter(Boolean).length,
        mistimed,
        stuck: [outcome, next].filter((how) => how === 'stuck').length,
        toPairAgain: companions.length === 1 && companions[0]?.device === 1 ? 0 : 1,
      }
    },
    crashDueSend: (point) => crashDueSend(world, instance, point),
    close: world.close,
  }
}

/** Armed once the message is kept: what was not kept need not come. */
async function crashDueSend(world: ProcessWorld, instance: string, point: CrashPoint): Promise<DueVerdict> {
  const host = await startHost(world, instance, { CRASH_AT: point })
  const timed = scheduleMessage(world, instance, `due ${point}`, DUE_IN_MS)
  await timed.outcome
  await armHost(host, point)
  await until(() => host.child.signalCode === 'SIGKILL')
  const again = await startHost(world, instance)
  const isSettled = async () =>
    isReportedUnknown(world, instance, timed.messageid) || (await countArrivals(world))(timed.text) > 0
  await until(isSettled, { within: SETTLES_WITHIN_MS })
  // What comes after it has passed it, so that it does not come any more.
  const next = scheduleMessage(world, instance, `after due ${point}`)
  await until(async () => (await countArrivals(world))(next.text) > 0, { within: SETTLES_WITHIN_MS })
  await stopHost(again)
  return {
    times: (await countArrivals(world))(timed.text),
    isUnknown: isReportedUnknown(world, instance, timed.messageid),
  }
}

/** It dies at the next pass of that point. */
async function armHost(host: HostProcess, point: CrashPoint): Promise<void> {
  host.child.kill('SIGUSR2')
  await until(() => host.readLines().some(({ crashAt }) => crashAt === point))
}

async function startHost(world: ProcessWorld, instance: string, env = {}): Promise<HostProcess> {
  // One that a failed test has left would keep the instance.
  await world.killHosts()
  const before = world.edge.listStates(instance).length
  const host = world.runHost({ ...KEEP, ...env })
  await until(() => world.edge.listStates(instance).slice(before).at(-1)?.loggedIn)
  return host
}

async function stopHost({ child, ended }: HostProcess): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

/** A person writes to the device, with a file whose caption is the text. */
const writeMessage = (world: ProcessWorld, text: string, hasFile: boolean) =>
  hasFile ? writeFile(world, text) : world.sim('POST', '/messages', { from: BEN, to: ANNA, text })

/** `count` messages name one file. */
function writeFile(world: ProcessWorld, caption: string, count = 1) {
  const document = randomBytes(2000).toString('base64')
  return world.sim('POST', '/messages', {
    from: BEN,
    to: ANNA,
    document,
    mimetype: 'text/plain',
    caption,
    count,
  })
}

/** Of the messages with one of these texts: those whose link came with the message, or by a later event. */
function countFileLinks({ edge }: ProcessWorld, instance: string, texts: string[]): number {
  const messages = edge
    .listEvents(instance, 'messages')
    .map(({ payload }) => payload.message as { text: string; messageid: string; fileURL: string })
    .filter(({ text }) => texts.includes(text))
  const later = edge
    .listEvents(instance, 'messages_update')
    .map(({ payload }) => payload.event as { MessageIDs: string[]; fileURL?: string })
  const linked = messages.filter(
    ({ messageid, fileURL }) =>
      fileURL !== '' || later.some((event) => event.fileURL && event.MessageIDs.includes(messageid)),
  )
  return new Set(linked.map(({ messageid }) => messageid)).size
}

function sendMessage(world: ProcessWorld, instance: string, text: string) {
  return sendAct(world, instance, 'message.sendText', createTextInput(`${BEN}@s.msgnet.net`, text))
}

/** Without a delay it is due at once. */
function scheduleMessage(world: ProcessWorld, instance: string, text: string, delay = 0) {
  const { messageid, ...input } = createTextInput(`${BEN}@s.msgnet.net`, text)
  const sendAt = new Date(Date.now() + delay).toISOString()
  const request = { action: 'message.sendText', input, parcel: '', messageid, sendAt }
  return { ...sendAct(world, instance, 'message.schedule', request), messageid, text }
}

/** It comes once; or not at all, if the host never took it, or died while it was leaving and says so. */
async function countMistimed(
  world: ProcessWorld,
  instance: string,
  { id, messageid, text }: ReturnType<typeof scheduleMessage>,
): Promise<number> {
  world.edge.sendFrames({ t: 'what', id })
  const findOutcome = () => world.edge.frames.findLast((frame) => isOutcome(frame) && frame.id === id)
  const isTaken = (await until(findOutcome, { within: SETTLES_WITHIN_MS }))?.t === 'outcome'
  const isUnknown = () => isReportedUnknown(world, instance, messageid)
  if (!isTaken) return 0
  const isSettled = async () => isUnknown() || (await countArrivals(world))(text) > 0
  await until(isSettled, { within: SETTLES_WITHIN_MS }).catch(() => undefined)
  const times = (await countArrivals(world))(text)
  return times === 1 || (times === 0 && isUnknown()) ? 0 : 1
}

const isReportedUnknown = ({ edge }: ProcessWorld, instance: string, messageid: string): boolean =>
  edge
    .listEvents(instance, 'messages_update')
    .map(({ payload }) => payload as { state: string; event: { MessageIDs: string[] } })
    .some(({ state, event }) => state === 'Pending' && event.MessageIDs.includes(messageid))

/** Sends an act to the host, and returns the outcome that the host reports. */
function sendAct(
  { edge }: ProcessWorld,
  instance: string,
  action: 'message.sendText' | 'message.schedule',
  input: object,
) {
  const id = crypto.randomUUID()
  edge.sendFrames({ t: 'act', id, instance, epoch: 1, action, input, budget: 10_000 })
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
