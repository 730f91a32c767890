// Changes the settings that all devices of an account share.

import type { WAMessageKey, WASocket } from 'baileys'
import { SECOND } from '../../../../shared/date-time.ts'
import { toNetworkId } from '../../../message-names.ts'
import type { NewestMessage, Person, SettingsNetwork } from '../../driver.ts'
import { toNetworkJid } from '../ids.ts'
import type { MediaHost } from '../messages/media-host.ts'
import { createSettingsPatches } from './settings-patches.ts'

/** `named` is called with the account's new name: the library reports only the changes of other devices. */
export function createSettingsNetwork(
  sock: WASocket,
  media: Pick<MediaHost, 'downloadFile'>,
  named: (name: string) => void,
): SettingsNetwork {
  const patches = createSettingsPatches(sock, media)
  return {
    waitUntilReady: patches.waitUntilReady,
    catchUp: patches.catchUp,
    async setProfileName(name, deadline) {
      const outcome = await patches.applyChange({ pushNameSetting: name }, '', deadline)
      if (outcome.kind === 'done') named(name)
      return outcome
    },
    setArchived: (chat, archive, newest, deadline) =>
      patches.applyChange(
        { archive, lastMessages: buildMessageRange(chat, newest) },
        toSettingsJid(chat),
        deadline,
      ),
    setPinned: (chat, pin, deadline) => patches.applyChange({ pin }, toSettingsJid(chat), deadline),
    setMuted: (chat, until, deadline) =>
      patches.applyChange({ mute: until === 0 ? null : until }, toSettingsJid(chat), deadline),
    clearChat: (chat, newest, deadline) =>
      patches.applyChange(
        { clear: true, lastMessages: buildMessageRange(chat, newest) },
        toSettingsJid(chat),
        deadline,
      ),
    deleteChat: (chat, newest, deadline) =>
      patches.applyChange(
        { delete: true, lastMessages: buildMessageRange(chat, newest) },
        toSettingsJid(chat),
        deadline,
      ),
    addContact: (person, { full, first }, deadline) => {
      const named = { fullName: full, firstName: first, saveOnPrimaryAddressbook: true }
      const contact = { ...named, ...(person.lid && { lidJid: person.lid }) }
      return patches.applyChange({ contact }, toSettingsJid(person), deadline)
    },
    removeContact: (person, deadline) =>
      patches.applyChange({ contact: null }, toSettingsJid(person), deadline),
    saveLabel: (id, label, deadline) => patches.applyChange({ addLabel: { id, ...label } }, '', deadline),
    labelChat: (labelId, chat, on, deadline) =>
      patches.applyChange(
        on ? { addChatLabel: { labelId } } : { removeChatLabel: { labelId } },
        toSettingsJid(chat),
        deadline,
      ),
  }
}

/** The phone number if it is known, because the phone itself uses it. */
const toSettingsJid = ({ id, pn }: Person) => toNetworkJid(pn || id)

function buildMessageRange(chat: Person, newest: NewestMessage | undefined) {
  if (!newest) return []
  const { messageid, fromMe, sender, isGroup, at } = newest
  const key: WAMessageKey = {
    remoteJid: toSettingsJid(chat),
    fromMe,
    id: toNetworkId(messageid),
    ...(isGroup && !fromMe && { participant: toNetworkJid(sender) }),
  }
  return [{ key, messageTimestamp: Math.floor(at / SECOND) }]
}
