// Our driver, in the words of the scenarios.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ContentToSend, NetworkOutcome, OwnKey, Person } from '@msgnet/session-host/driver/driver.ts'
import { uploadFile } from '@msgnet/session-host/driver/media-network.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import {
  type Client,
  type Content,
  type GroupMember,
  Lacking,
  type Outcome,
  type ReceivedCall,
  type Sent,
  type Setting,
  type Target,
} from './client.ts'
import { createDeadline, DriverConnection, toJid, unwrapAnswer } from './driver-connection.ts'

const MIMETYPES: Record<string, string> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/mp4',
  document: 'application/pdf',
  sticker: 'image/webp',
}

const createPerson = (number: string): Person => ({ id: toJid(number), pn: toJid(number), lid: '' })

function toOutcome(outcome: NetworkOutcome<unknown>): Outcome {
  if (outcome.kind === 'refused') return { kind: 'refused', code: outcome.code }
  // The driver itself has refused it: there is no code of the network.
  return outcome.kind === 'prevented' ? { kind: 'refused', code: 0 } : { kind: outcome.kind }
}

export class DriverClient extends DriverConnection implements Client {
  async send(to: string, content: Content, withinMs?: number): Promise<Sent> {
    const made = this.network.encode(await this.#toSend(content))
    if (!made) throw new Lacking('the driver does not encode this')
    const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
    this.encoded.set(id, made.encoded)
    const outcome = await this.network.send(id, toJid(to), made.encoded, createDeadline(withinMs))
    return { id, chat: to, fromMe: true, sender: this.number, outcome: toOutcome(outcome) }
  }

  async #toSend(content: Content): Promise<ContentToSend> {
    if ('text' in content) {
      const { quoted } = content
      const encoded = quoted && this.encoded.get(quoted.id)
      if (!quoted || !encoded) return { kind: 'text', text: content.text }
      const messageid = quoted.id
      return {
        kind: 'text',
        text: content.text,
        quoted: { messageid, sender: toJid(quoted.sender), encoded },
      }
    }
    if ('place' in content) return { kind: 'location', ...content.place, address: '' }
    if ('card' in content)
      return { kind: 'contact', displayName: content.card.name, vcard: content.card.vcard }
    if ('poll' in content) {
      return { kind: 'poll', text: content.poll.name, choices: content.poll.choices, selectable: 1 }
    }
    if ('reaction' in content) {
      return { kind: 'reaction', target: createKey(content.to), text: content.reaction, at: Date.now() }
    }
    if ('revoke' in content) return { kind: 'delete', target: createKey(content.revoke) }
    if ('edit' in content) {
      const encoded = this.encoded.get(content.of.id) ?? new Uint8Array()
      return { kind: 'edit', target: createKey(content.of), encoded, text: content.edit, at: Date.now() }
    }
    const { as, file, caption = '' } = content
    const about = { type: as, mimetype: MIMETYPES[as] ?? '', caption, fileName: 'a file', viewOnce: false }
    const stored = unwrapAnswer(
      await uploadFile(this.network.media, as, Readable.from([file]), createDeadline()),
    )
    return { kind: 'media', file: about, stored }
  }

  async markRead({ id, chat, sender }: Target) {
    const isGroup = chat.endsWith('@g.us')
    const key = { messageid: id, chatid: toJid(chat), sender: toJid(sender), isGroup }
    return toOutcome(await this.network.markRead([key], createDeadline()))
  }
  async showTyping(chat: string, state: 'composing' | 'recording' | 'paused') {
    unwrapAnswer(await this.network.showPresence(toJid(chat), state, createDeadline()))
  }
  async showPresence(on: boolean) {
    unwrapAnswer(await this.network.account.showPresence(on ? 'available' : 'unavailable', createDeadline()))
  }
  async rejectCall({ id, from }: ReceivedCall) {
    return toOutcome(await this.network.rejectCall(id, toJid(from), createDeadline()))
  }
  async isOnNetwork(number: string) {
    return (
      unwrapAnswer(await this.network.checkNumbers([toJid(number)], createDeadline()))[0]?.exists === true
    )
  }
  async unlink() {
    unwrapAnswer(await this.network.unlink(createDeadline()))
  }

  async createGroup(subject: string, people: string[]) {
    return unwrapAnswer(await this.network.groups.createGroup(subject, people.map(toJid), createDeadline()))
      .jid
  }
  async changeMembers(
    group: string,
    action: 'add' | 'remove' | 'promote' | 'demote',
    people: string[],
  ): Promise<void> {
    const { groups } = this.network
    const verdicts = unwrapAnswer(
      await groups.changeMembers(group, action, people.map(toJid), createDeadline()),
    )
    const refused = verdicts.find(({ code }) => code !== 0)
    if (refused) throw new Error(`refused with ${refused.code}`)
  }
  async renameGroup(group: string, subject: string) {
    return toOutcome(await this.network.groups.renameGroup(group, subject, createDeadline()))
  }
  async describeGroup(group: string, text: string) {
    return toOutcome(await this.network.groups.setDescription(group, text, createDeadline()))
  }
  async restrictGroup(group: string, to: 'announce' | 'lock') {
    const change = to === 'announce' ? 'setAnnounceOnly' : 'setLocked'
    return toOutcome(await this.network.groups[change](group, true, createDeadline()))
  }
  async readInviteCode(group: string) {
    const link = unwrapAnswer(await this.network.groups.getInviteLink(group, createDeadline()))
    return link.split('/').at(-1) ?? ''
  }
  async joinGroup(code: string) {
    return unwrapAnswer(await this.network.groups.joinGroup(code, createDeadline())).jid
  }
  async leaveGroup(group: string) {
    return toOutcome(await this.network.groups.leaveGroup(group, createDeadline()))
  }
  async listMembers(group: string): Promise<GroupMember[]> {
    const { members } = unwrapAnswer(await this.network.groups.getGroup(group, createDeadline()))
    return members.map(({ pn, role }) => ({ number: pn.replace(PERSON_SUFFIX, ''), role }))
  }

  async changeSetting({ what, of, value }: Setting, newest?: Target) {
    const { settings } = this.network
    const on = value === true
    switch (what) {
      case 'archive': {
        const last = newest && { messageid: newest.id, fromMe: newest.fromMe, sender: toJid(newest.sender) }
        const upTo = last && { ...last, isGroup: false, at: Date.now() }
        return unwrapAnswer(await settings.setArchived(createPerson(of), on, upTo, createDeadline()))
      }
      case 'pin':
        return unwrapAnswer(await settings.setPinned(createPerson(of), on, createDeadline()))
      case 'mute':
        return unwrapAnswer(await settings.setMuted(createPerson(of), on ? -1 : 0, createDeadline()))
      case 'contact': {
        const full = String(value)
        return unwrapAnswer(
          await settings.addContact(createPerson(of), { full, first: full }, createDeadline()),
        )
      }
      case 'label': {
        const label = { name: String(value), color: 1, deleted: false }
        return unwrapAnswer(await settings.saveLabel(of, label, createDeadline()))
      }
      case 'label_chat':
        return unwrapAnswer(await settings.labelChat(String(value), createPerson(of), true, createDeadline()))
      default:
        throw new Lacking(`the driver does not set ${what}`)
    }
  }
  async blockNumber(number: string) {
    const person = await this.network.findKnownIds(toJid(number))
    unwrapAnswer(await this.network.account.setBlocked(person, true, createDeadline()))
  }
  async setName(name: string) {
    unwrapAnswer(await this.network.settings.setProfileName(name, createDeadline()))
  }
}

const createKey = ({ id, chat, fromMe, sender }: Target): OwnKey => ({
  messageid: id,
  fromMe,
  chatid: toJid(chat),
  sender: toJid(sender),
  isGroup: chat.endsWith('@g.us'),
})
