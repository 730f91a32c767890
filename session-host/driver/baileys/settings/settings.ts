// Changes the settings that all devices of an account share.

import type { WAMessageKey, WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import { networkId } from '../../../message-names.ts'
import type { NewestMessage, Person, SettingsNetwork } from '../../driver.ts'
import { outward } from '../ids.ts'
import type { MediaHost } from '../messages/media-host.ts'
import { makePatches } from './patches.ts'

/** `named` is called with the account's new name: the library reports only the changes of other devices. */
export function makeSettingsNetwork(
  sock: WASocket,
  media: Pick<MediaHost, 'get'>,
  named: (name: string) => void,
): SettingsNetwork {
  const patches = makePatches(sock, media)
  return {
    ready: patches.ready,
    catchUp: patches.catchUp,
    async rename(name, deadline) {
      const answer = await patches.apply({ pushNameSetting: name }, '', deadline)
      if (answer.kind === 'done') named(name)
      return answer
    },
    archive: (chat, archive, newest, deadline) =>
      patches.apply({ archive, lastMessages: upTo(chat, newest) }, spelled(chat), deadline),
    pin: (chat, pin, deadline) => patches.apply({ pin }, spelled(chat), deadline),
    mute: (chat, until, deadline) =>
      patches.apply({ mute: until === 0 ? null : until }, spelled(chat), deadline),
    clear: (chat, newest, deadline) =>
      patches.apply({ clear: true, lastMessages: upTo(chat, newest) }, spelled(chat), deadline),
    remove: (chat, newest, deadline) =>
      patches.apply({ delete: true, lastMessages: upTo(chat, newest) }, spelled(chat), deadline),
    addContact: (person, { full, first }, deadline) => {
      const named = { fullName: full, firstName: first, saveOnPrimaryAddressbook: true }
      const contact = { ...named, ...(person.lid && { lidJid: person.lid }) }
      return patches.apply({ contact }, spelled(person), deadline)
    },
    removeContact: (person, deadline) => patches.apply({ contact: null }, spelled(person), deadline),
    label: (id, label, deadline) => patches.apply({ addLabel: { id, ...label } }, '', deadline),
    labelChat: (labelId, chat, on, deadline) =>
      patches.apply(
        on ? { addChatLabel: { labelId } } : { removeChatLabel: { labelId } },
        spelled(chat),
        deadline,
      ),
  }
}

/** The phone number if it is known, because the phone itself uses it. */
const spelled = ({ id, pn }: Person) => outward(pn || id)

function upTo(chat: Person, newest: NewestMessage | undefined) {
  if (!newest) return []
  const { messageid, fromMe, sender, isGroup, at } = newest
  const key: WAMessageKey = {
    ...{ remoteJid: spelled(chat), fromMe, id: networkId(messageid) },
    ...(isGroup && !fromMe && { participant: outward(sender) }),
  }
  return [{ key, messageTimestamp: Math.floor(at / SECOND) }]
}
