// The steps of the first day, in the order of docs/run/live-network.md: each does what a program can do, asks for the rest, and checks it by the protocol log.

import { GatewayError } from '@msgnet/client/errors.ts'
import { HOUR } from '@msgnet/shared/date-time.ts'
import type { LoggedNode } from '@msgnet/shared/network-log-lines.ts'
import { type Day, type LoggedStanza, StepFailed } from './day.ts'
import { type ChatKind, chatKinds, PICTURE, VOTE } from './person-tasks.ts'

export interface DayStep {
  title: string
  /** False if it was left out. */
  run(day: Day): Promise<boolean>
  /** Milliseconds after that other step. */
  after?: { step: number; ms: number }
}

const QUIET_SECONDS = 300
const TEXT = 'A test of the first day'

const hasTag =
  (...tags: string[]) =>
  (node: LoggedNode) =>
    tags.includes(node.tag)
const contains = (node: LoggedNode, tag: string): boolean =>
  node.tag === tag || (Array.isArray(node.content) && node.content.some((child) => contains(child, tag)))

async function examine(day: Day, args: string[]): Promise<boolean> {
  const findings = await day.parts.runDoctor(args)
  // Its words may name numbers and addresses where all is well.
  for (const { check, state, says } of findings)
    day.say(state === 'ok' ? `${check}: ok` : `${check}: ${state}, ${says}`)
  const failed = findings.filter(({ state }) => state === 'fail')
  if (failed.length > 0) throw new StepFailed(`the doctor found ${failed.length} faults`)
  return true
}

async function link(day: Day): Promise<boolean> {
  const { client, person } = day.parts
  const before = await client.status()
  if (before.loggedIn) {
    day.say('it was linked before this day; the log has no pairing of it')
    return false
  }
  const { pairing } = await client.connect()
  if (!pairing) throw new StepFailed('the network gave no code')
  await person.linkDevice(pairing)
  await day.expect(async () => (await client.status()).loggedIn, 'the device was not linked in time')
  const isPairing = (node: LoggedNode) => contains(node, 'pair-success')
  const pairings = await day.expect(async () => {
    const found = await day.findStanzas('in', isPairing)
    return found.length > 0 && found
  }, 'the protocol log has no pair-success')
  day.show(pairings)
  day.say(
    `pair-success ${contains(pairings[0]?.node ?? emptyNode, 'client-props') ? 'has' : 'has no'} client-props`,
  )
  await day.expect(
    async () => (await day.findStanzas('in', hasTag('success'))).length > 0,
    'the protocol log has no login',
  )
  return true
}

const emptyNode: LoggedNode = { tag: '', attrs: {} }

async function leaveAlone(day: Day): Promise<boolean> {
  await day.parts.person.rest(QUIET_SECONDS)
  const counts = new Map<string, number>()
  for (const { node } of await day.findStanzas('in', () => true)) {
    const name = [node.tag, node.attrs.type].filter(Boolean).join(' ')
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [name, count] of counts) day.say(`${count} × ${name}`)
  if (counts.size === 0) day.say('the network sent nothing')
  const ends = (await day.readLines()).filter(({ what }) => what === 'end')
  day.show(ends)
  if (ends.length > 0) throw new StepFailed(`${ends.length} sockets were closed`)
  return true
}

const chatNames: Record<ChatKind, string> = {
  old: 'an old chat',
  stranger: 'a stranger',
  lidOnly: 'a person known by LID only',
  group: 'a group by numbers',
  lidGroup: 'a group by LIDs',
}

/** Each is tried, whatever became of the one before. */
async function writeToAll(day: Day): Promise<boolean> {
  const { client, person } = day.parts
  let refused = 0
  const tryChat = async (chat: string, send: () => Promise<{ messageid: string }>) => {
    try {
      await sendAndCheck(day, chat, send)
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error
      day.say(error.message)
      refused += 1
    }
  }
  for (const kind of chatKinds) {
    const number = await person.nameChat(kind)
    if (number) await tryChat(chatNames[kind], () => client.sendText({ number, text: TEXT }))
    else day.say(`${chatNames[kind]}: left out`)
  }
  await tryChat('a status post', () => client.sendStatus({ type: 'text', text: TEXT }))
  if (refused > 0) throw new StepFailed(`${refused} messages were refused`)
  return true
}

/** The ack of the network is in the log, and refuses nothing. */
async function sendAndCheck(
  day: Day,
  chat: string,
  send: () => Promise<{ messageid: string }>,
): Promise<void> {
  const { messageid } = await send().catch((error) => {
    if (error instanceof GatewayError) throw new StepFailed(`${chat}: ${error.status} ${error.code}`)
    throw error
  })
  const findAcks = () => day.findStanzas('in', ({ tag, attrs }) => tag === 'ack' && attrs.id === messageid)
  const acks = await day.expect<LoggedStanza[]>(async () => {
    const found = await findAcks()
    return found.length > 0 && found
  }, `${chat}: no ack in the log`)
  day.show(acks)
  const attrs = Object.assign({}, ...acks.map(({ node }) => node.attrs)) as Record<string, string>
  const notable = ['error', 'phash', 'addressing_mode'].flatMap((name) =>
    attrs[name] === undefined ? [] : `${name}=${attrs[name]}`,
  )
  day.say(`${chat}: acknowledged${notable.length > 0 ? `, ${notable.join(' ')}` : ''}`)
  if (attrs.error) throw new StepFailed(`${chat}: refused with ${attrs.error}`)
}

async function receive(day: Day): Promise<boolean> {
  const { person } = day.parts
  const tasks = [
    ['write', 'messages', () => true, 'a text'],
    ['picture', 'messages', ({ message }: Seen) => message?.mediaType === 'image', 'a picture'],
    ['edit', 'messages_edit', () => true, 'an edit'],
    ['remove', 'messages_update', ({ state }: Seen) => state === 'Deleted', 'a deletion'],
    ['once', 'messages', isSeenOnce, 'a picture to be seen once'],
    ['vote', 'messages_update', ({ event }: Seen) => event?.vote?.includes(VOTE) === true, 'a vote'],
  ] as const
  let received = 0
  for (const [task, type, isWanted, name] of tasks) {
    const isPossible = task !== 'vote' || (await sendPoll(day))
    if (!isPossible || !(await person.perform(task))) {
      day.say(`${name}: left out`)
      continue
    }
    await day.expect(async () => (await day.listEvents(type)).some(isWanted), `${name} did not come`)
    day.say(`${name}: came`)
    received += 1
  }
  await expectOnce(day)
  const messages = await day.findStanzas('in', hasTag('message'))
  const receipts = await day.findStanzas('out', hasTag('receipt'))
  day.show(messages)
  day.say(`${messages.length} messages in the log, ${receipts.length} receipts`)
  if (received > 0 && messages.length === 0) throw new StepFailed('the protocol log has no message')
  return received > 0
}

interface Seen {
  message?: { mediaType?: string; messageid?: string; content?: { viewOnce?: boolean } }
  event?: { vote?: string[] }
  state?: string
}

/** The file, or the notice of it that linked devices get. */
const isSeenOnce = ({ message }: Seen): boolean => message?.content?.viewOnce === true

async function sendPoll(day: Day): Promise<boolean> {
  const { client, person } = day.parts
  const number = await person.nameChat('old')
  if (!number) return false
  const choices = [VOTE, 'No']
  await sendAndCheck(day, 'a poll', () => client.sendMenu({ number, type: 'poll', text: TEXT, choices }))
  return true
}

async function expectOnce(day: Day): Promise<void> {
  const ids = (await day.listEvents('messages')).map(({ message }: Seen) => message?.messageid)
  if (new Set(ids).size < ids.length) throw new StepFailed('a message came more than once')
  const lost = await day.listEvents('undecryptable')
  if (lost.length > 0) throw new StepFailed(`${lost.length} messages could not be decrypted`)
}

async function exchangePictures(day: Day): Promise<boolean> {
  const { client, person } = day.parts
  const number = await person.nameChat('old')
  if (!number) return false
  await sendAndCheck(day, 'a picture', () => client.sendMedia({ number, type: 'image', file: PICTURE }))
  if (!(await person.perform('picture'))) return true
  const isPicture = ({ message }: Seen) => message?.mediaType === 'image'
  const event = await day.expect<Seen>(
    async () => (await day.listEvents('messages')).find(isPicture),
    'the picture did not come',
  )
  day.messageid = event.message?.messageid
  await download(day, day.messageid)
  return true
}

async function download(day: Day, id = ''): Promise<boolean> {
  try {
    await day.parts.client.downloadMessage({ id })
  } catch (error) {
    if (error instanceof GatewayError) throw new StepFailed(`the picture: ${error.status} ${error.code}`)
    throw error
  }
  day.say('the picture could be downloaded')
  return true
}

const downloadAgain = (day: Day): Promise<boolean> => download(day, day.parts.findEntry(PICTURES)?.messageid)

async function growGroup(day: Day): Promise<boolean> {
  const { client, person } = day.parts
  const number = await person.nameChat('group')
  if (!number || !(await person.perform('grow'))) return false
  await sendAndCheck(day, 'the group with its new member', () => client.sendText({ number, text: TEXT }))
  return true
}

async function interrupt(day: Day): Promise<boolean> {
  const { client, person } = day.parts
  if (!(await person.perform('interrupt'))) return false
  await day.expect(
    async () => (await day.findStanzas('in', hasTag('success'))).length > 0,
    'the device did not log in again',
  )
  await day.expect(async () => (await client.status()).loggedIn, 'the device is not logged in')
  await day.expect(
    async () => (await day.listEvents('messages')).length > 0,
    'what was written meanwhile is missing',
  )
  await expectOnce(day)
  if ((await day.findStanzas('in', (node) => contains(node, 'pair-device'))).length > 0)
    throw new StepFailed('the network asked for a new code')
  day.show((await day.readLines()).filter(({ what }) => what === 'end' || what === 'open'))
  day.say('it logged in again without a code, and what was written meanwhile came once')
  return true
}

async function unlink(day: Day): Promise<boolean> {
  const { client, person } = day.parts
  const lines = await day.parts.readLog()
  const ends = lines.filter((line) => line.what === 'end' && line.instance === day.parts.instance)
  day.say(`${ends.length} sockets were closed so far`)
  if (!(await person.perform('unlink'))) return false
  await day.expect(
    async () => (await client.status()).instance.lastDisconnectReason === 'logged_out',
    'the state is not logged_out',
  )
  const end = await day.expect(
    async () => (await day.readLines()).find(({ what }) => what === 'end'),
    'the protocol log has no end of the connection',
  )
  day.show([end])
  await person.rest(QUIET_SECONDS / 5)
  const isLater = (await day.readLines()).filter(({ what, at }) => what === 'open' && at > end.at)
  if (isLater.length > 0) throw new StepFailed('the device tried to come back')
  day.say('logged_out, and no attempt to come back')
  return true
}

const PICTURES = 6

/** By their numbers on the page; the last ones are parts of 6 that have their time. */
export const daySteps: readonly (DayStep & { step: number })[] = [
  { step: 0, title: 'The doctor, before', run: (day) => examine(day, []) },
  { step: 1, title: 'Linking', run: link },
  {
    step: 2,
    title: 'The doctor, of the device',
    run: (day) => examine(day, ['--instance', day.parts.instance]),
  },
  { step: 3, title: 'Left alone', run: leaveAlone },
  { step: 4, title: 'Writing', run: writeToAll },
  { step: 5, title: 'Receiving', run: receive },
  { step: PICTURES, title: 'Pictures both ways', run: exchangePictures },
  { step: 7, title: 'A group with a new member', run: growGroup },
  { step: 8, title: 'The host away', run: interrupt },
  { step: 61, title: 'The picture after an hour', run: downloadAgain, after: { step: PICTURES, ms: HOUR } },
  {
    step: 62,
    title: 'The picture after 15 days',
    run: downloadAgain,
    after: { step: PICTURES, ms: 360 * HOUR },
  },
  { step: 9, title: 'The device removed', run: unlink, after: { step: 8, ms: 48 * HOUR } },
]
