// Converts the library's events about settings that another device has changed.

import type { WASocket } from 'baileys'
import { truncateName } from '../../../../shared/truncation.ts'
import type { SettingChange } from '../../driver.ts'
import { findKnownIds } from '../account-lookup.ts'
import { toChat as chatOf, toGatewayJid, toPerson } from '../ids.ts'

/** `failed` is called with the error of a change that could not be reported. */
export function adaptSettings(
  sock: WASocket,
  report: (changes: SettingChange[]) => void,
  onError: (error: unknown) => void,
): void {
  // A queue, so that the look-up of spellings does not change the order of the reports.
  let reportQueue: Promise<unknown> = Promise.resolve()
  const enqueueReport = (work: () => Promise<(SettingChange | undefined)[]>) => {
    reportQueue = reportQueue
      .then(work)
      .then((changes) => changes.filter((change) => change !== undefined))
      .then((changes) => changes.length > 0 && report(changes))
      // The next connection does not repeat this change; the phone's next changes are reported.
      .catch(onError)
  }
  const whole = async (id: string) => {
    const { pn, lid } = await findKnownIds(sock, toGatewayJid(id))
    return chatOf(id, pn, lid)
  }

  sock.ev.on('chats.update', (updates) =>
    enqueueReport(() =>
      Promise.all(
        updates.map(async ({ id, archived, pinned, muteEndTime }): Promise<SettingChange | undefined> => {
          // Other fields of a chat are reported by its messages.
          // `null` is a change too: no longer pinned, no longer muted.
          const changed = [archived, pinned, muteEndTime].some((one) => one !== undefined)
          if (!id || !changed) return undefined
          return {
            kind: 'chat',
            chat: await whole(id),
            ...(typeof archived === 'boolean' && { archived }),
            ...(pinned !== undefined && { pinned: Boolean(pinned) }),
            ...(muteEndTime !== undefined && { mutedUntil: Number(muteEndTime ?? 0) }),
          }
        }),
      ),
    ),
  )
  sock.ev.on('chats.delete', (ids) =>
    enqueueReport(() =>
      Promise.all(ids.map(async (id) => ({ kind: 'chat_deleted', chat: await whole(id) }))),
    ),
  )
  sock.ev.on('contacts.upsert', (contacts) =>
    enqueueReport(() =>
      Promise.all(
        contacts.map(async ({ id, name: whole = '', phoneNumber, lid }) => {
          const name = truncateName(whole)
          const known = await findKnownIds(sock, toGatewayJid(id))
          const one = toPerson(id, phoneNumber, lid, known.pn, known.lid)
          return { kind: 'contact', person: one, name, firstName: name.split(' ')[0] ?? '' }
        }),
      ),
    ),
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
      // Labels of single messages are not kept.
      if ('messageId' in association) return []
      const { labelId, chatId } = association
      return [{ kind: 'label_chat', labelid: labelId, chat: await whole(chatId), labeled: type === 'add' }]
    }),
  )
}
