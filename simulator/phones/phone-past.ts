// The long past of a phone: thousands of messages in many chats, made when they are sent, in the chunks and the order of a real phone.
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { proto } from '../codec/protobuf.ts'
import { findAccountByName, formatAddress } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Chunk, Past } from '../store/history-table.ts'
import { announceChunk, TYPES } from './phone-history.ts'

const compress = promisify(deflate)

/** Of a chunk. */
const MAX_MESSAGES = 2000
const FIRST_CHATS = 50
const DAY_SECONDS = 86_400
/** What a phone sends of every chat without being asked. */
const RECENT_DAYS = 90
/** A phone makes its past at its own expense, and not at that of the others here: for each millisecond of it they have another. */
const REST_SHARE = 1

type PastChat = {
  id: string
  name: string
  people: { pn: string; lid: string; name: string }[]
  count: number
}
/** Messages of a chat by their places: 0 is the newest. */
type Range = { chat: number; from: number; to: number }
type PlannedChunk = Pick<Chunk, 'type' | 'inline' | 'progress' | 'order'> & { ranges: Range[] }

const running = new Set<string>()

/** Sends a companion what it lacks of the past; the phone goes on with it while it answers other requests. */
export function sendPast(network: Network, account: Account, device: number) {
  const name = `${account.number}:${device}`
  if (running.has(name) || !network.store.pasts.find(account.number)) return
  running.add(name)
  sendMissing(network, account, device)
    .catch((error) => {
      // The network was closed meanwhile, or the companion was unlinked: the next login goes on.
      if (network.store.companions.find(account.number, device)) console.error('failed to send past', error)
    })
    .finally(() => running.delete(name))
}

async function sendMissing(network: Network, account: Account, device: number) {
  const { pasts } = network.store
  const past = pasts.find(account.number)
  const delivery = pasts.findDelivery(account.number, device)
  if (!past || !delivery) return
  let at = 0
  for (const chunk of planChunks(past, delivery.isFull)) {
    at += 1
    if (at <= delivery.sent) continue
    const bytes = await encodePast(network, account, past, chunk)
    const id = await announceChunk(network, account, device, chunk, bytes)
    if (id === undefined) return
    pasts.recordSent(account.number, device, at)
  }
}

/** Answers a companion that asks for older messages of a chat. */
export async function sendRequestedPast(
  network: Network,
  account: Account,
  device: number,
  {
    chatJid,
    oldestMsgId,
    oldestMsgTimestampMs,
    onDemandMsgCount,
  }: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
) {
  const past = network.store.pasts.find(account.number)
  const ranges: Range[] = []
  for (let chat = 0; past && chat < past.chats; chat += 1) {
    const { id, people, count } = describeChat(network, account, past, chat)
    if (
      chatJid !== id &&
      (count === 0 || !people.some(({ pn, lid }) => people.length === 1 && [pn, lid].includes(chatJid ?? '')))
    )
      continue
    const places = Array.from({ length: count }, (_, place) => place)
    const known = places.findIndex((place) => createPastId(account, chat, place) === oldestMsgId)
    const older = places.findIndex(
      (place) => findTime(past, chat, place, count) * 1000 < Number(oldestMsgTimestampMs ?? 0),
    )
    const from = known >= 0 ? known + 1 : older >= 0 ? older : count
    ranges.push({ chat, from, to: Math.min(from + (onDemandMsgCount ?? 50), count) })
  }
  const chunk: PlannedChunk = { type: 'on_demand', progress: 100, order: 1, ranges }
  const bytes = past ? await encodePast(network, account, past, chunk) : await compress(Buffer.alloc(0))
  await announceChunk(network, account, device, chunk, bytes)
}

/** First the newest message of some chats, then the recent ones of all, then the rest for a companion that wants all of it. */
function* planChunks(past: Past, isFull: boolean): Generator<PlannedChunk> {
  const counts = Array.from({ length: past.chats }, (_, chat) => countMessages(past, chat))
  const limits = counts.map((count, chat) => countRecent(past, chat, count))
  const firsts = counts
    .slice(0, FIRST_CHATS)
    .map((count, chat) => ({ chat, from: 0, to: Math.min(1, count) }))
  yield { type: 'bootstrap', inline: true, progress: 5, order: 1, ranges: firsts }
  yield { type: 'push_name', inline: true, progress: 100, order: 2, ranges: [] }
  yield* splitIntoChunks(
    'recent',
    limits.map((to, chat) => ({ chat, from: 0, to })),
    3,
  )
  if (!isFull) return
  // One message of each chat comes again, as where a real phone cuts.
  const rest = counts.map((to, chat) => ({ chat, from: Math.max(0, (limits[chat] ?? 0) - 1), to }))
  yield* splitIntoChunks('full', rest, 1000)
}

function* splitIntoChunks(
  type: 'recent' | 'full',
  all: Range[],
  firstOrder: number,
): Generator<PlannedChunk> {
  const total = all.reduce((sum, { from, to }) => sum + to - from, 0)
  let order = firstOrder
  let sent = 0
  let ranges: Range[] = []
  let size = 0
  for (const whole of all) {
    for (let { from } = whole; from < whole.to; ) {
      const to = Math.min(whole.to, from + MAX_MESSAGES - size)
      ranges.push({ chat: whole.chat, from, to })
      size += to - from
      from = to
      if (size < MAX_MESSAGES) continue
      sent += size
      yield { type, progress: Math.min(99, Math.floor((100 * sent) / total)), order, ranges }
      order += 1
      ranges = []
      size = 0
    }
  }
  yield { type, progress: 100, order, ranges }
}

const countMessages = ({ chats, messages }: Past, chat: number): number =>
  Math.floor(messages / chats) + (chat < messages % chats ? 1 : 0)

const countRecent = (past: Past, chat: number, count: number): number => {
  let recent = 0
  const since = past.newestAt - RECENT_DAYS * DAY_SECONDS
  while (recent < count && findTime(past, chat, recent, count) >= since) recent += 1
  return recent
}

const findTime = ({ newestAt, days }: Past, chat: number, place: number, count: number): number =>
  Math.floor(newestAt - chat - (place * days * DAY_SECONDS) / Math.max(1, count))

const createPastId = ({ number }: Account, chat: number, place: number): string =>
  `3A${number.slice(-8)}${chat.toString(16).padStart(5, '0')}${place.toString(16).padStart(7, '0')}`.toUpperCase()

function describeChat(network: Network, account: Account, past: Past, chat: number): PastChat {
  const count = countMessages(past, chat)
  const isGroup = chat >= past.chats - past.groups
  const people = isGroup
    ? [0, 1, 2].map((member) => findPerson(network, account, past, (chat + member) % past.chats))
    : [findPerson(network, account, past, chat)]
  const id = isGroup
    ? `120363${account.number.slice(-8)}${String(chat).padStart(4, '0')}@g.us`
    : (people[0]?.pn ?? '')
  return { id, name: isGroup ? `Group ${chat}` : (people[0]?.name ?? ''), people, count }
}

function findPerson(network: Network, account: Account, past: Past, at: number) {
  const known = past.with[at]
  const other = known && findAccountByName(network.store, known)
  if (other)
    return { pn: formatAddress(other, 'pn'), lid: formatAddress(other, 'lid'), name: other.name ?? '' }
  const digits = `${account.number.slice(-6)}${String(at).padStart(5, '0')}`
  return { pn: `49${digits}@s.whatsapp.net`, lid: `77${digits}@lid`, name: `Person ${at}` }
}

async function encodePast(
  network: Network,
  account: Account,
  past: Past,
  { type, progress, order, ranges }: PlannedChunk,
): Promise<Buffer> {
  const chats = ranges.map((range) => ({ range, chat: describeChat(network, account, past, range.chat) }))
  const people = chats.flatMap(({ chat }) => chat.people)
  const everybody =
    type === 'push_name'
      ? Array.from({ length: past.chats }, (_, at) => findPerson(network, account, past, at))
      : []
  const head: proto.IHistorySync = {
    syncType: TYPES[type],
    progress: progress ?? 100,
    chunkOrder: order ?? 1,
    pushnames: everybody.map(({ pn, name }) => ({ id: pn, pushname: name })),
    phoneNumberToLidMappings: people.map(({ pn, lid }) => ({ pnJid: pn, lidJid: lid })),
  }
  const parts = [proto.HistorySync.encode(head).finish()]
  for (const { range, chat } of chats) {
    // Chat by chat, so that others are answered meanwhile: one after the other the parts are the whole.
    const began = performance.now()
    const conversations = [buildChat(account, past, chat, range)]
    parts.push(proto.HistorySync.encode({ conversations }).finish())
    await wait(REST_SHARE * (performance.now() - began))
  }
  return compress(Buffer.concat(parts))
}

function buildChat(
  account: Account,
  past: Past,
  chat: PastChat,
  { from, to, chat: at }: Range,
): proto.IConversation {
  const [first] = chat.people
  const isGroup = chat.id.endsWith('@g.us')
  const messages = Array.from({ length: to - from }, (_, index) => {
    const place = from + index
    const fromMe = place % 3 === 0
    const author = chat.people[place % chat.people.length]
    const text = `past ${at}/${place} `.padEnd(past.textBytes, 'x')
    return {
      msgOrderId: chat.count - place,
      message: {
        key: { remoteJid: chat.id, fromMe, id: createPastId(account, at, place) },
        message: { conversation: text },
        messageTimestamp: findTime(past, at, place, chat.count),
        ...(fromMe
          ? { status: proto.WebMessageInfo.Status.READ }
          : { pushName: author?.name ?? '', ...(isGroup && { participant: author?.lid ?? '' }) }),
      },
    }
  })
  return {
    id: chat.id,
    messages,
    name: chat.name,
    ...(!isGroup && first && { pnJid: first.pn, lidJid: first.lid }),
  }
}
