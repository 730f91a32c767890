// Converts the messages of a chunk of history into the driver's, with both ids of each person where they are known.

import { isLidUser, isPnUser, jidNormalizedUser, type proto, type WAMessage, type WASocket } from 'baileys'
import { truncateName } from '../../../../shared/truncation.ts'
import type { PastMessage } from '../../driver.ts'
import { findKnownIds } from '../account-lookup.ts'
import { toGatewayJid, toNetworkJid } from '../ids.ts'
import { toNetworkMessage } from '../messages/message-conversion.ts'
import { findSecret } from '../messages/message-seals.ts'
import type { HistoryRecord } from './chunk-records.ts'

/** Those of a chunk; a phone has fewer people and groups. */
const MAX_KNOWN = 10_000
/** They change other messages, which have been changed in the history itself. */
const CHANGES = ['edit', 'delete', 'vote', 'undecryptable']

/** In a history the secret of a message stands beside it. */
function addSecret({ message, messageSecret }: Pick<proto.IWebMessageInfo, 'message' | 'messageSecret'>) {
  if (!message || !messageSecret?.length || findSecret(message)) return message
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret } }
}

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

  async convert(infos: proto.IWebMessageInfo[]): Promise<PastMessage[]> {
    const converted: PastMessage[] = []
    for (const info of infos) {
      const message = await this.#convertOne(info)
      if (message) converted.push(message)
    }
    return converted
  }

  async #convertOne({ key, ...info }: proto.IWebMessageInfo): Promise<PastMessage | undefined> {
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
    const whole = { ...info, message: addSecret(info), key: named } as WAMessage
    const message = toNetworkMessage(whole, creds.me ?? { id: '' })
    if (!message || message.sealed || CHANGES.includes(message.type)) return undefined
    return { ...message, chatName: this.#chatNames.get(key.remoteJid) ?? '' }
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
