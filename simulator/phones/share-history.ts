// A member shares the past of a group with those who joined: a file for their companions, and a notice for the group.
import { deflateSync } from 'node:zlib'
import { proto } from '../codec/protobuf.ts'
import { formatAddress } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import { createMessageId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { sendCopy } from './send-from-phone.ts'
import { sendToGroup } from './send-to-group.ts'

export type Sharing = {
  from: Account
  to: Account[]
  group: Group
  /** Messages that phones wrote in the group. */
  written: string[]
  /** As a dishonest member shares them: encoded, in place of those. */
  raw?: Buffer | undefined
  /** On no host. */
  lost: boolean
}

/** The fields of a shared history: messages, and older ones that are pinned. */
const MESSAGES = 1
const BYTES = 2

/** Returns the id of the message that carries it. */
export async function shareHistory(network: Network, sharing: Sharing): Promise<string> {
  const { from, to, group, lost } = sharing
  const messages = listWritten(network, sharing)
  const bytes = sharing.raw ?? deflateSync(encodeMessages(messages))
  const { key, path, sha256, encryptedSha256 } = await network.media.storeFile(bytes, 'group-history')
  if (lost) network.media.deleteFile(Buffer.from(encryptedSha256).toString('base64url'), 'lost')
  const messageHistoryMetadata = {
    historyReceivers: to.map((account) => formatAddress(account, group.form)),
    oldestMessageTimestamp: messages[0]?.messageTimestamp ?? 0,
    messageCount: messages.length,
  }
  const messageHistoryBundle = {
    mimetype: 'application/protobuf',
    mediaKey: key,
    directPath: path,
    fileSha256: sha256,
    fileEncSha256: encryptedSha256,
    mediaKeyTimestamp: Number(formatSeconds()),
    messageHistoryMetadata,
  }
  const content = Buffer.from(proto.Message.encode({ messageHistoryBundle }).finish())
  const [id, sentAt] = [createMessageId(), Date.now()]
  const { form, jid } = group
  network.store.messages.add({ id, sender: from.number, device: 0, chat: jid, form, content, sentAt })
  for (const account of to) {
    for (const { device } of network.store.companions.listByNumber(account.number))
      await sendCopy(network, { from, to: group, form, account, device, id, sentAt, content, type: 'text' })
  }
  await sendToGroup(network, {
    from,
    to: group,
    form,
    type: 'text',
    message: { messageHistoryNotice: { messageHistoryMetadata } },
  })
  return id
}

function encodeMessages(messages: proto.IWebMessageInfo[]): Buffer {
  return Buffer.concat(
    messages.flatMap((one) => {
      const bytes = proto.WebMessageInfo.encode(one).finish()
      return [Buffer.from([MESSAGES * 8 + BYTES]), encodeVarint(bytes.length), bytes]
    }),
  )
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) + 128)
  }
}

/** As the member's phone stores them. */
function listWritten(network: Network, { from, group, written }: Sharing): proto.IWebMessageInfo[] {
  const found = written.map((id) => network.store.messages.find(id)).filter((one) => one?.content)
  return found.flatMap((one) => {
    const author = network.store.accounts.find(one?.sender ?? '')
    if (!one?.content || !author) return []
    const { messageContextInfo, ...message } = proto.Message.decode(one.content)
    const own = author.number === from.number
    const participant = own ? undefined : formatAddress(author, group.form)
    return {
      key: { remoteJid: group.jid, fromMe: own, id: one.id, participant },
      participant,
      message,
      messageSecret: messageContextInfo?.messageSecret,
      messageTimestamp: Math.floor(one.sentAt / 1000),
      pushName: author.name,
    } as proto.IWebMessageInfo
  })
}
