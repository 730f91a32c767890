// The history that a phone sends to a companion after linking it: in chunks, each inside a message or as a file on the media hosts.
import { deflateSync } from 'node:zlib'
import { proto } from '../codec/protobuf.ts'
import { accountNamed, addressOf, isGroup } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import { freshMessageId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Chunk, HistoryChat } from '../store/histories.ts'
import { sendToCompanion } from './peer-messages.ts'

const TYPES: Record<Chunk['type'], number> = {
  bootstrap: proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
  recent: proto.HistorySync.HistorySyncType.RECENT,
  full: proto.HistorySync.HistorySyncType.FULL,
  push_name: proto.HistorySync.HistorySyncType.PUSH_NAME,
  on_demand: proto.HistorySync.HistorySyncType.ON_DEMAND,
}

/** What a phone sends at first: the newest chats, so that the companion can show something, and the account's own pair. */
const MOST_AT_FIRST = 20

export async function sendFirstHistory(network: Network, account: Account, device: number) {
  const { histories, messages } = network.store
  const usual = (): Chunk[] => {
    const chats = messages
      .correspondents(account.number)
      .filter((other) => accountNamed(network.store, other))
    const newest = chats.slice(-MOST_AT_FIRST).map((other) => ({ with: other }))
    return [
      { type: 'bootstrap', inline: true, progress: 100, chats: newest, pairs: [account.number, ...chats] },
    ]
  }
  for (const chunk of histories.find(account.number) ?? usual())
    await sendChunk(network, account, device, chunk)
}

/** Answers the id of the message that carries it. */
export async function sendChunk(network: Network, account: Account, device: number, chunk: Chunk) {
  const { type, inline, progress, order: chunkOrder } = chunk
  const bytes = chunk.raw === undefined ? encode(network, chunk) : Buffer.from(chunk.raw, 'base64')
  const told = { syncType: TYPES[type], progress: progress ?? 100, chunkOrder: chunkOrder ?? 1 }
  const content = inline ? { initialHistBootstrapInlinePayload: bytes } : await keep(network, bytes, chunk)
  return sendToCompanion(network, account, device, {
    type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: { ...told, ...content },
  })
}

async function keep({ media }: Network, bytes: Buffer, { lost }: Chunk) {
  const { key, path, sha256, sealedSha256 } = await media.keep(bytes, 'history')
  if (lost) media.delete(Buffer.from(sealedSha256).toString('base64url'), 'lost')
  return {
    mediaKey: key,
    directPath: path,
    fileSha256: sha256,
    fileEncSha256: sealedSha256,
    fileLength: bytes.length,
  }
}

function encode(network: Network, chunk: Chunk): Buffer {
  const { store } = network
  const addresses = (name: string) => {
    const account = accountNamed(store, name)
    return account && { pn: addressOf(account, 'pn'), lid: addressOf(account, 'lid') }
  }
  const history: proto.IHistorySync = {
    syncType: TYPES[chunk.type],
    progress: chunk.progress ?? 100,
    chunkOrder: chunk.order ?? 1,
    conversations: (chunk.chats ?? []).map((chat) => conversation(chat, addresses(chat.with))),
    pushnames: (chunk.pushNames ?? []).map(({ number, name }) => ({
      id: addresses(number)?.pn ?? number,
      pushname: name,
    })),
    phoneNumberToLidMappings: (chunk.pairs ?? []).flatMap((number) => {
      const both = addresses(number)
      return both ? [{ pnJid: both.pn, lidJid: both.lid }] : []
    }),
  }
  return deflateSync(proto.HistorySync.encode(history).finish())
}

function conversation(chat: HistoryChat, both: { pn: string; lid: string } | undefined): proto.IConversation {
  const id = isGroup(chat.with) || !both ? chat.with : both[chat.addressing ?? 'pn']
  const text = 'x'.repeat(chat.messageBytes ?? 10)
  const messages = Array.from({ length: chat.messages ?? 0 }, (_, at) => ({
    msgOrderId: at + 1,
    message: {
      key: { remoteJid: id, fromMe: at % 2 === 0, id: freshMessageId() },
      message: { conversation: text },
      messageTimestamp: Number(seconds()),
    },
  }))
  return {
    id,
    messages,
    ...(chat.name !== undefined && { name: chat.name }),
    ...(both && { pnJid: both.pn, lidJid: both.lid }),
    ...(chat.token !== undefined && {
      tcToken: Buffer.from(chat.token, 'base64'),
      tcTokenTimestamp: chat.tokenAt ?? Number(seconds()),
    }),
  }
}
