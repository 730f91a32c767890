// Changes the settings that all devices of an account share.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { proto, type WAMessageKey, type WASocket } from 'baileys'
import type { NetworkOutcome, NewestMessage, OwnKey, Person, SettingsNetwork } from '../../driver.ts'
import { toNetworkId } from '../../message-names.ts'
import { toNetworkJid } from '../ids.ts'
import type { MediaHosts } from '../messages/media-hosts.ts'
import { type Change, SettingsPatches } from './settings-patches.ts'

export class SettingsChanges implements SettingsNetwork {
  readonly #patches: SettingsPatches
  readonly #onRenamed: (name: string) => void

  /** `onRenamed` is called with the account's new name: the library reports only the changes of other devices. */
  constructor(sock: WASocket, media: Pick<MediaHosts, 'downloadFile'>, onRenamed: (name: string) => void) {
    this.#patches = new SettingsPatches(sock, media)
    this.#onRenamed = onRenamed
  }

  waitUntilReady(deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#patches.waitUntilReady(deadline)
  }

  catchUp(deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#patches.catchUp(deadline)
  }

  async setProfileName(name: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    const outcome = await this.#patches.applyChange({ pushNameSetting: name }, '', deadline)
    if (outcome.kind === 'done') this.#onRenamed(name)
    return outcome
  }

  setArchived(
    chat: Person,
    archive: boolean,
    newest: NewestMessage | undefined,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    return this.#change(chat, { archive, lastMessages: buildMessageRange(chat, newest) }, deadline)
  }

  setPinned(chat: Person, pin: boolean, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(chat, { pin }, deadline)
  }

  setMuted(chat: Person, until: number, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(chat, { mute: until === 0 ? null : until }, deadline)
  }

  /** Not as the library writes it: phones read stars in another collection, with the author of a group's message in the index. */
  setStarred(
    chat: Person,
    message: OwnKey,
    starred: boolean,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    const { messageid, fromMe, sender, isGroup } = message
    const author = isGroup && !fromMe ? toNetworkJid(sender) : '0'
    const index = ['star', toSettingsJid(chat), toNetworkId(messageid), fromMe ? '1' : '0', author]
    const syncAction = { starAction: { starred }, timestamp: Date.now() }
    const operation = proto.SyncdMutation.SyncdOperation.SET
    return this.#patches.applyPatch(
      { syncAction, index, type: 'regular_high', apiVersion: 2, operation },
      deadline,
    )
  }

  clearChat(chat: Person, newest: NewestMessage | undefined, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(chat, { clear: true, lastMessages: buildMessageRange(chat, newest) }, deadline)
  }

  deleteChat(
    chat: Person,
    newest: NewestMessage | undefined,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    return this.#change(chat, { delete: true, lastMessages: buildMessageRange(chat, newest) }, deadline)
  }

  addContact(
    person: Person,
    { full, first }: { full: string; first: string },
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    const contact = {
      fullName: full,
      firstName: first,
      saveOnPrimaryAddressbook: true,
      ...(person.lid && { lidJid: person.lid }),
    }
    return this.#change(person, { contact }, deadline)
  }

  removeContact(person: Person, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(person, { contact: null }, deadline)
  }

  saveLabel(
    id: string,
    label: { name: string; color: number; deleted: boolean },
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    return this.#patches.applyChange({ addLabel: { id, ...label } }, '', deadline)
  }

  labelChat(labelId: string, chat: Person, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(chat, on ? { addChatLabel: { labelId } } : { removeChatLabel: { labelId } }, deadline)
  }

  #change(chat: Person, change: Change, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#patches.applyChange(change, toSettingsJid(chat), deadline)
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
