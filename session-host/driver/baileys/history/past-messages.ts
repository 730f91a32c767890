// Converts the messages of a chunk of history into the driver's, with both ids of each person where they are known.

import {
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  normalizeMessageContent,
  proto,
  type WAMessage,
  type WASocket,
} from 'baileys'
import { truncateName } from '../../../../shared/truncation.ts'
import type { NetworkMessage, PastMessage } from '../../driver.ts'
import { findKnownIds } from '../account-lookup.ts'
import { toGatewayJid, toNetworkJid } from '../ids.ts'
import { toNetworkMessage } from '../messages/message-conversion.ts'
import { findSecret } from '../messages/message-seals.ts'
import type { HistoryRecord } from './chunk-records.ts'

/** Those of a chunk; a phone has fewer people and groups. */
const MAX_KNOWN = 10_000
/** They change other messages, which have been changed in the history itself. Sealed, they stand in it as they came. */
const CHANGES = ['edit', 'delete', 'vote', 'undecryptable']

type Info = proto.IWebMessageInfo

/** A phone has the last edit in place of the message that was edited, or beside it: either is that message with its last words. */
function takeEdited(info: Info): { info: Info; isEdited: boolean } {
  const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
  const { type, key, editedMessage } =
    normalizeMessageContent(info.message ?? undefined)?.protocolMessage ?? {}
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

const isTaken = ({ sealed, type }: NetworkMessage): boolean => sealed === true || !CHANGES.includes(type)

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

  async convert(infos: Info[]): Promise<PastMessage[]> {
    const converted: PastMessage[] = []
    for (const info of infos) {
      const message = await this.#convertOne(info)
      if (message) converted.push(message)
    }
    return converted
  }

  async #convertOne(whole: Info): Promise<PastMessage | undefined> {
    const { info: past, isEdited } = takeEdited(whole)
    const { key, ...info } = past
    if (!key?.remoteJid || !key.id) return undefined
    const { creds } = this.#sock.authState
    const participant = key.participant || info.participant || ''
    const named = {
      remoteJid: key.remoteJid,
      remoteJidAlt: await this.#findOtherId(key.remoteJid),
      fromMe: key.fromMe === true,
      id: key.id,
      participant,
      participantAlt: await this.#findOtherId(participant),
    }
    const sent = { ...info, message: addSecret(info), key: named } as WAMessage
    const message = toNetworkMessage(sent, creds.me ?? { id: '' })
    if (!message || !isTaken(message)) return undefined
    const chatName = this.#chatNames.get(key.remoteJid) ?? ''
    return { ...message, chatName, ...(isEdited && { isEdited }) }
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
