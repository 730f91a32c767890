// Changes of settings as our driver reports them, in the words of the scenarios.

import type { SettingChange } from '@msgnet/session-host/driver/driver.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import type { Setting } from './client.ts'

const toNumber = (id: string) => id.replace(PERSON_SUFFIX, '')

export function listSettings(change: SettingChange): Setting[] {
  switch (change.kind) {
    case 'chat': {
      const of = toNumber(change.chat.id)
      const { archived, pinned, mutedUntil } = change
      return [
        ...(archived === undefined ? [] : [{ what: 'archive' as const, of, value: archived }]),
        ...(pinned === undefined ? [] : [{ what: 'pin' as const, of, value: pinned }]),
        ...(mutedUntil === undefined ? [] : [{ what: 'mute' as const, of, value: mutedUntil !== 0 }]),
      ]
    }
    case 'contact':
      return [{ what: 'contact', of: toNumber(change.person.pn), value: change.name }]
    case 'label':
      return [{ what: 'label', of: change.labelid, value: change.name }]
    case 'label_chat':
      return [{ what: 'label_chat', of: toNumber(change.chat.id), value: change.labelid }]
    default:
      return []
  }
}
