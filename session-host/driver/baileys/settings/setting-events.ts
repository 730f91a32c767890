// Converts the library's events about settings that another device has changed.

import type { WASocket } from 'baileys'
import { boundedName } from '../../../../shared/bounds.ts'
import type { SettingChange } from '../../driver.ts'
import { chat as chatOf, inward, person } from '../ids.ts'
import { knownAs } from '../people.ts'

/** `failed` is called with the error of a change that could not be reported. */
export function adaptSettings(
  sock: WASocket,
  report: (changes: SettingChange[]) => void,
  failed: (thrown: unknown) => void,
): void {
  // A queue, so that the look-up of spellings does not change the order of the reports.
  let reported: Promise<unknown> = Promise.resolve()
  const next = (work: () => Promise<(SettingChange | undefined)[]>) => {
    reported = reported
      .then(work)
      .then((changes) => changes.filter((change) => change !== undefined))
      .then((changes) => changes.length > 0 && report(changes))
      // The next connection does not repeat this change; the phone's next changes are reported.
      .catch(failed)
  }
  const whole = async (id: string) => {
    const { pn, lid } = await knownAs(sock, inward(id))
    return chatOf(id, pn, lid)
  }

  sock.ev.on('chats.update', (updates) =>
    next(() =>
      Promise.all(
        updates.map(async ({ id, archived, pinned, muteEndTime }): Promise<SettingChange | undefined> => {
          // Other fields of a chat are reported by its messages.
          // `null` is a change too: no longer pinned, no longer muted.
          const changed = [archived, pinned, muteEndTime].some((one) => one !== undefined)
          if (!id || !changed) return undefined
          return {
            ...{ kind: 'chat', chat: await whole(id) },
            ...(typeof archived === 'boolean' && { archived }),
            ...(pinned !== undefined && { pinned: Boolean(pinned) }),
            ...(muteEndTime !== undefined && { mutedUntil: Number(muteEndTime ?? 0) }),
          }
        }),
      ),
    ),
  )
  sock.ev.on('chats.delete', (ids) =>
    next(() => Promise.all(ids.map(async (id) => ({ kind: 'chat_deleted', chat: await whole(id) })))),
  )
  sock.ev.on('contacts.upsert', (contacts) =>
    next(() =>
      Promise.all(
        contacts.map(async ({ id, name: whole = '', phoneNumber, lid }) => {
          const name = boundedName(whole)
          const known = await knownAs(sock, inward(id))
          const one = person(id, phoneNumber, lid, known.pn, known.lid)
          return { kind: 'contact', person: one, name, firstName: name.split(' ')[0] ?? '' }
        }),
      ),
    ),
  )
  sock.ev.on('labels.edit', ({ id, name, color, deleted }) =>
    next(async () => [
      {
        kind: 'label',
        labelid: id,
        name: boundedName(name ?? ''),
        color: color ?? 0,
        deleted: deleted === true,
      },
    ]),
  )
  sock.ev.on('labels.association', ({ type, association }) =>
    next(async () => {
      // Labels of single messages are not kept.
      if ('messageId' in association) return []
      const { labelId, chatId } = association
      return [{ kind: 'label_chat', labelid: labelId, chat: await whole(chatId), labeled: type === 'add' }]
    }),
  )
}
