// Converts the library's events about settings that another device has changed.

import { truncateName } from '@msgnet/shared/truncation.ts'
import type { BaileysEventMap, WASocket } from 'baileys'
import type { Person, SettingChange } from '../../driver.ts'
import { truncateId } from '../../message-names.ts'
import { findKnownIds } from '../account-lookup.ts'
import { toChat, toGatewayJid, toPerson } from '../ids.ts'

/** `onError` is called with the error of a change that could not be reported. */
export function adaptSettings(
  sock: WASocket,
  report: (changes: SettingChange[]) => void,
  onError: (error: unknown) => void,
): void {
  // A queue, so that the look-up of ids does not change the order of the reports.
  let reports: Promise<unknown> = Promise.resolve()
  const enqueueReport = (findChanges: () => Promise<(SettingChange | undefined)[]>) => {
    reports = reports
      .then(findChanges)
      .then((changes) => changes.filter((change) => change !== undefined))
      .then((changes) => changes.length > 0 && report(changes))
      // The next connection does not repeat this change; the phone's next changes are reported.
      .catch(onError)
  }

  sock.ev.on('chats.update', (updates) =>
    enqueueReport(() => Promise.all(updates.map((update) => toChatChange(sock, update)))),
  )
  sock.ev.on('messages.update', (updates) =>
    enqueueReport(() => Promise.all(updates.map((update) => toStarChange(sock, update)))),
  )
  sock.ev.on('chats.delete', (ids) =>
    enqueueReport(() =>
      Promise.all(ids.map(async (id) => ({ kind: 'chat_deleted', chat: await findChat(sock, id) }))),
    ),
  )
  sock.ev.on('contacts.upsert', (contacts) =>
    enqueueReport(() => Promise.all(contacts.map((contact) => toContactChange(sock, contact)))),
  )
  sock.ev.on('labels.edit', ({ id, name, color, deleted }) =>
    enqueueReport(async () => [
      {
        kind: 'label',
        labelid: id,
        name: truncateName(name ?? ''),
        color: color ?? 0,
        deleted: deleted === true,
      },
    ]),
  )
  sock.ev.on('labels.association', ({ type, association }) =>
    enqueueReport(async () => {
      // Labels of single messages are not stored.
      if ('messageId' in association) return []
      const { labelId: labelid, chatId } = association
      return [{ kind: 'label_chat', labelid, chat: await findChat(sock, chatId), labeled: type === 'add' }]
    }),
  )
}

async function findChat(sock: WASocket, id: string): Promise<Person> {
  const { pn, lid } = await findKnownIds(sock, toGatewayJid(id))
  return toChat(id, pn, lid)
}

/** Undefined for other fields of a chat: they are reported by its messages. */
async function toChatChange(
  sock: WASocket,
  { id, archived, pinned, muteEndTime }: BaileysEventMap['chats.update'][number],
): Promise<SettingChange | undefined> {
  // `null` is a change too: no longer pinned, no longer muted.
  const changed = [archived, pinned, muteEndTime].some((field) => field !== undefined)
  if (!id || !changed) return undefined
  return {
    kind: 'chat',
    chat: await findChat(sock, id),
    ...(typeof archived === 'boolean' && { archived }),
    ...(pinned !== undefined && { pinned: Boolean(pinned) }),
    ...(muteEndTime !== undefined && { mutedUntil: Number(muteEndTime ?? 0) }),
  }
}

/** Undefined for other updates of a message: they are reported by its receipts. */
async function toStarChange(
  sock: WASocket,
  { key, update: { starred } }: BaileysEventMap['messages.update'][number],
): Promise<SettingChange | undefined> {
  if (typeof starred !== 'boolean' || !key.id || !key.remoteJid) return undefined
  const messageid = truncateId(key.id)
  const chat = await findChat(sock, key.remoteJid)
  return { kind: 'star', chat, messageid, fromMe: key.fromMe === true, starred }
}

async function toContactChange(
  sock: WASocket,
  { id, name: fullName = '', username, phoneNumber, lid }: BaileysEventMap['contacts.upsert'][number],
): Promise<SettingChange> {
  const name = truncateName(fullName)
  const known = await findKnownIds(sock, toGatewayJid(id))
  const ids = toPerson(id, phoneNumber, lid, known.pn, known.lid)
  const person = username ? { ...ids, username: truncateName(username) } : ids
  return { kind: 'contact', person, name, firstName: name.split(' ')[0] ?? '' }
}
