// Converts the messages of a chunk of history into the driver's, with both ids of each person where they are known.

import { STATUS_JID } from '@msgnet/shared/jid.ts'
import { truncateName } from '@msgnet/shared/truncation.ts'
import { isLidUser, isPnUser, jidNormalizedUser, proto, type WAMessage, type WASocket } from 'baileys'
import type { NetworkMessage, PastMessage, PastReaction } from '../../driver.ts'
import { findKnownIds } from '../account-lookup.ts'
import { toGatewayJid, toNetworkJid } from '../ids.ts'
import { findSender, type OwnIds, toNetworkMessage } from '../messages/message-conversion.ts'
import { findSecret } from '../messages/message-seals.ts'
import { unwrap } from '../messages/message-wrappers.ts'
import type { ChunkMessage } from './chunk-messages.ts'
import type { HistoryRecord } from './chunk-records.ts'

/** Those of a chunk; a phone has fewer people and groups. */
const MAX_KNOWN = 10_000
/** They change other messages, which have been changed in the history itself. Sealed, they stand in it as they came. */
const CHANGES = ['edit', 'delete', 'vote', 'undecryptable']

type Info = proto.IWebMessageInfo

/** A phone has the last edit in place of the message that was edited, or beside it: either is that message with its last words. */
function takeEdited(info: Info): { info: Info; isEdited: boolean } {
  const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
  const { type, key, editedMessage } = unwrap(info.message)?.protocolMessage ?? {}
  if (type !== MESSAGE_EDIT || !key?.id || !editedMessage) return { info, isEdited: false }
  // The secret beside an edit that has an id of its own is not that of the message.
  const { messageSecret, ...rest } = info
  const own = key.id === info.key?.id && messageSecret ? { messageSecret } : {}
  return {
    info: { ...rest, ...own, key: { ...info.key, id: key.id }, message: editedMessage },
    isEdited: true,
  }
}

/** In a history the secret of a message stands beside it. */
function addSecret({ message, messageSecret }: Pick<Info, 'message' | 'messageSecret'>) {
  if (!message || !messageSecret?.length || findSecret(message)) return message
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret } }
}

/** The other fields that the conversion reads: add a field here before reading it there. Copying all fields of each message would only make garbage. */
const pickRead = ({ messageTimestamp, pushName, status, messageStubType, messageStubParameters }: Info) => ({
  messageTimestamp,
  pushName,
  status,
  messageStubType,
  messageStubParameters,
})

/** Status posts end within a day, and are no past. */
const isTaken = ({ sealed, type, chat }: NetworkMessage): boolean =>
  chat.id !== STATUS_JID && (sealed === true || !CHANGES.includes(type))

export class PastMessages {
  readonly #sock: WASocket
  /** The other id of each person, in the network's form; empty if it is not known. */
  readonly #otherIds = new Map<string, string>()
  readonly #chatNames = new Map<string, string>()

  constructor(sock: WASocket, records: HistoryRecord[]) {
    this.#sock = sock
    for (const record of records)
      if (record.kind === 'chat' && record.name !== '') {
        const name = truncateName(record.name)
        for (const id of [record.id, record.pn, record.lid]) if (id) this.#chatNames.set(id, name)
      }
  }

  async convert(some: ChunkMessage[]): Promise<PastMessage[]> {
    const converted: PastMessage[] = []
    for (const { info, order } of some) {
      const message = await this.#convertOne(info)
      if (message) converted.push({ ...message, ...(order > 0 && { order }) })
    }
    return converted
  }

  /** A message of a history, or one that the phone sends again by itself, of any kind. */
  async convertResent(info: Info): Promise<NetworkMessage | undefined> {
    const { key } = info
    if (!key?.remoteJid || !key.id) return undefined
    const named = await this.#nameKey(key, key.remoteJid, key.participant || info.participant || '')
    const sent = { ...pickRead(info), message: addSecret(info), key: { ...named, id: key.id } } as WAMessage
    return toNetworkMessage(sent, this.#getOwnIds())
  }

  async #convertOne(whole: Info): Promise<PastMessage | undefined> {
    const { info, isEdited } = takeEdited(whole)
    const message = await this.convertResent(info)
    if (!message || !isTaken(message)) return undefined
    const chat = info.key?.remoteJid ?? ''
    const chatName = this.#chatNames.get(chat) ?? ''
    const reactions = await this.#readReactions(info.reactions ?? [], chat)
    return {
      ...message,
      chatName,
      ...(isEdited && { isEdited }),
      ...(reactions.length > 0 && { reactions }),
    }
  }

  async #readReactions(reactions: proto.IReaction[], chat: string): Promise<PastReaction[]> {
    const read: PastReaction[] = []
    for (const { key, text } of reactions) {
      if (!key || !text) continue
      const named = await this.#nameKey(key, chat, key.participant ?? '')
      read.push({ sender: findSender(named, this.#getOwnIds()), fromMe: named.fromMe, text })
    }
    return read
  }

  #getOwnIds(): OwnIds {
    return this.#sock.authState.creds.me ?? { id: '' }
  }

  /** With the other id of each person where it is known. */
  async #nameKey({ fromMe }: proto.IMessageKey, remoteJid: string, participant: string) {
    return {
      remoteJid,
      remoteJidAlt: await this.#findOtherId(remoteJid),
      fromMe: fromMe === true,
      participant,
      participantAlt: await this.#findOtherId(participant),
    }
  }

  async #findOtherId(jid: string): Promise<string> {
    if (!isPnUser(jid) && !isLidUser(jid)) return ''
    const id = jidNormalizedUser(jid)
    const known = this.#otherIds.get(id)
    if (known !== undefined) return known
    const { pn, lid } = await findKnownIds(this.#sock, toGatewayJid(id))
    const other = isLidUser(id) ? toNetworkJid(pn) : lid
    if (this.#otherIds.size < MAX_KNOWN) this.#otherIds.set(id, other)
    return other
  }
}
