// The history that a phone sends to a companion after linking it: in chunks, each inside a message or as a file on the media hosts.
import { deflateSync } from 'node:zlib'
import { proto } from '../codec/protobuf.ts'
import { findAccountByName, formatAddress, isGroupJid } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import { createMessageId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { Chunk, HistoryChat } from '../store/history-table.ts'
import { sendToCompanion } from './peer-messages.ts'

export const TYPES: Record<Chunk['type'], number> = {
  bootstrap: proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
  recent: proto.HistorySync.HistorySyncType.RECENT,
  full: proto.HistorySync.HistorySyncType.FULL,
  push_name: proto.HistorySync.HistorySyncType.PUSH_NAME,
  on_demand: proto.HistorySync.HistorySyncType.ON_DEMAND,
}

/** What a phone sends at first: the newest chats, so that the companion can show something, and the account's own pair. */
const MAX_FIRST_CHATS = 20

export async function sendFirstHistory(network: Network, account: Account, device: number) {
  const { histories, messages, pasts } = network.store
  if (pasts.find(account.number)) return
  const buildFirstChunks = (): Chunk[] => {
    const chats = messages
      .listCorrespondents(account.number)
      .filter((other) => findAccountByName(network.store, other))
    const newest = chats.slice(-MAX_FIRST_CHATS).map((other) => ({ with: other }))
    const first: Chunk = { type: 'bootstrap', inline: true, progress: 100, chats: newest }
    const chunks: Chunk[] = [{ ...first, pairs: [account.number, ...chats] }]
    if (pasts.findDelivery(account.number, device)?.isFull)
      chunks.push({ type: 'full', inline: true, progress: 100, order: 2 })
    return chunks
  }
  for (const chunk of histories.find(account.number) ?? buildFirstChunks())
    await sendChunk(network, account, device, chunk)
}

/** Returns the id of the message that carries it. */
export async function sendChunk(network: Network, account: Account, device: number, chunk: Chunk) {
  const bytes =
    chunk.raw === undefined ? encodeChunk(network, account, chunk) : Buffer.from(chunk.raw, 'base64')
  return announceChunk(network, account, device, chunk, bytes)
}

/** `bytes`: its content, compressed. */
export async function announceChunk(
  network: Network,
  account: Account,
  device: number,
  chunk: Pick<Chunk, 'type' | 'inline' | 'progress' | 'order' | 'lost'>,
  bytes: Buffer,
) {
  const { type, inline, progress, order: chunkOrder } = chunk
  const notification = { syncType: TYPES[type], progress: progress ?? 100, chunkOrder: chunkOrder ?? 1 }
  const content = inline
    ? { initialHistBootstrapInlinePayload: bytes }
    : await uploadChunk(network, bytes, chunk)
  return sendToCompanion(network, account, device, {
    type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: { ...notification, ...content },
  })
}

async function uploadChunk({ media }: Network, bytes: Buffer, { lost }: Pick<Chunk, 'lost'>) {
  const { key, path, sha256, encryptedSha256 } = await media.storeFile(bytes, 'history')
  if (lost) media.deleteFile(Buffer.from(encryptedSha256).toString('base64url'), 'lost')
  return {
    mediaKey: key,
    directPath: path,
    fileSha256: sha256,
    fileEncSha256: encryptedSha256,
    fileLength: bytes.length,
  }
}

function encodeChunk(network: Network, account: Account, chunk: Chunk): Buffer {
  const { store } = network
  const findAddresses = (name: string) => {
    const person = findAccountByName(store, name)
    if (person === undefined) return undefined
    const { username } = person
    return { pn: formatAddress(person, 'pn'), lid: formatAddress(person, 'lid'), username }
  }
  const history: proto.IHistorySync = {
    syncType: TYPES[chunk.type],
    progress: chunk.progress ?? 100,
    chunkOrder: chunk.order ?? 1,
    conversations: (chunk.chats ?? []).map((chat) => {
      const conversation = buildConversation(chat, findAddresses(chat.with))
      conversation.messages?.push(...listWritten(network, account, chat, String(conversation.id)))
      return conversation
    }),
    pushnames: (chunk.pushNames ?? []).map(({ number, name }) => ({
      id: findAddresses(number)?.pn ?? number,
      pushname: name,
    })),
    phoneNumberToLidMappings: (chunk.pairs ?? []).flatMap((number) => {
      const both = findAddresses(number)
      return both ? [{ pnJid: both.pn, lidJid: both.lid }] : []
    }),
  }
  return deflateSync(proto.HistorySync.encode(history).finish())
}

/** Messages that the network carried, as the phone stores them: each secret beside its message. */
function listWritten(network: Network, phone: Account, { written = [] }: HistoryChat, remoteJid: string) {
  const found = written.map((id) => network.store.messages.find(id)).filter((one) => one?.content)
  return found.map((one, at): proto.IHistorySyncMsg => {
    const { id = '', sender = '', form = 'pn', sentAt = 0, content = Buffer.alloc(0) } = one ?? {}
    const { messageContextInfo, ...message } = proto.Message.decode(content)
    const author = isGroupJid(remoteJid) ? network.store.accounts.find(sender) : undefined
    const participant = author && { participant: formatAddress(author, form) }
    const key = { remoteJid, fromMe: sender === phone.number, id, ...participant }
    const messageSecret = messageContextInfo?.messageSecret ?? null
    const messageTimestamp = Math.floor(sentAt / 1000)
    return { msgOrderId: at + 1, message: { key, message, messageSecret, messageTimestamp } }
  })
}

function buildConversation(
  chat: HistoryChat,
  person: { pn: string; lid: string; username: string | undefined } | undefined,
): proto.IConversation {
  const id = isGroupJid(chat.with) || !person ? chat.with : person[chat.addressing ?? 'pn']
  const text = 'x'.repeat(chat.messageBytes ?? 10)
  const times = chat.sentAt ?? Array.from({ length: chat.messages ?? 0 }, () => Date.now())
  const messages = times.map((sentAt, at) => ({
    // In all chunks of a chat the later message has the larger one.
    msgOrderId: chat.sentAt ? sentAt - at : at + 1,
    message: {
      key: { remoteJid: id, fromMe: at % 2 === 0, id: createMessageId() },
      message: { conversation: text },
      messageTimestamp: Math.floor(sentAt / 1000),
    },
  }))
  return {
    id,
    messages,
    ...(chat.name !== undefined && { name: chat.name }),
    ...(person && { pnJid: person.pn, lidJid: person.lid }),
    ...(person?.username && { username: person.username }),
    ...(chat.timer !== undefined && {
      ephemeralExpiration: chat.timer,
      ephemeralSettingTimestamp: Number(formatSeconds()),
    }),
    ...(chat.token !== undefined && {
      tcToken: Buffer.from(chat.token, 'base64'),
      tcTokenTimestamp: chat.tokenAt ?? Number(formatSeconds()),
    }),
  }
}
