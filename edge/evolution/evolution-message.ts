// A message as Evolution has it: its key, who wrote it, and `message` with the content by its kind.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import { describeContext, describeMessage } from './evolution-content.ts'
import { orderIds, toSeconds } from './evolution-ids.ts'

/** `status`: in place of that of the record. */
export function toEvolutionMessage(record: MessageRecord, instanceId: string, status?: string) {
  const { type, message } = describeMessage(record)
  return {
    key: toKey(record),
    pushName: record.senderName,
    status: status ?? toStatus(record),
    message,
    contextInfo: describeContext(record) ?? null,
    messageType: type,
    messageTimestamp: toSeconds(record.messageTimestamp),
    instanceId,
    // The network does not say on which kind of phone it was written.
    source: 'unknown',
  }
}

/** With its file; undefined leaves it out. */
export const addBase64 = (data: unknown, base64: string | undefined) => {
  const { message, ...rest } = data as ReturnType<typeof toEvolutionMessage>
  return { ...rest, message: { ...message, base64 } }
}

/** With the number in `remoteJid` wherever it is known, and the hidden id beside it. */
function toKey(record: MessageRecord): Key {
  const { chatid, chatlid, sender, sender_pn, sender_lid, isGroup, fromMe, messageid: id } = record
  const author = orderIds(sender, sender_pn, sender_lid)
  const participantAlt = author.other && { participantAlt: author.other }
  if (isGroup || chatid === STATUS_JID)
    return { remoteJid: chatid, fromMe, id, participant: author.id, ...participantAlt }
  // In a chat the other person is the sender of what was received.
  const person = orderIds(chatid, fromMe ? '' : sender_pn, chatlid || (fromMe ? '' : sender_lid))
  const remoteJidAlt = person.other && { remoteJidAlt: person.other }
  return { remoteJid: person.id, ...remoteJidAlt, fromMe, id, ...(!fromMe && describeSender(person)) }
}

interface Key extends Record<string, unknown> {
  remoteJid: string
  /** Of a group, and of a status post: who wrote it. */
  participant?: string
}

/** The names that 2.3.0 has. */
function describeSender({ id, other }: { id: string; other: string }) {
  const [lid, phone] = id.endsWith('@lid') ? [id, ''] : [other, id]
  return { ...(phone && { senderPn: phone }), ...(lid && { senderLid: lid }) }
}

const statuses: Partial<Record<MessageRecord['status'], string>> = {
  Pending: 'PENDING',
  Scheduled: 'PENDING',
  Sent: 'SERVER_ACK',
  Delivered: 'DELIVERY_ACK',
  Read: 'READ',
  Failed: 'ERROR',
  Deleted: 'DELETED',
}

const toStatus = ({ fromMe, status }: MessageRecord): string =>
  statuses[status] ?? (fromMe ? 'SERVER_ACK' : 'DELIVERY_ACK')
