// Our driver, in the words of the scenarios.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Answer, ContentToSend, OwnKey, Person } from '../../session-host/driver/driver.ts'
import { PERSON_SUFFIX } from '../../shared/jid.ts'
import {
  type Client,
  type Content,
  type GroupMember,
  type HeardCall,
  Lacking,
  type Outcome,
  type Sent,
  type Setting,
  type Target,
} from './client.ts'
import { DriverConnection, deadline, toJid, unwrap } from './driver-connection.ts'

const MIMETYPES: Record<string, string> = {
  ...{ image: 'image/jpeg', video: 'video/mp4', audio: 'audio/mp4', document: 'application/pdf' },
  ...{ sticker: 'image/webp' },
}

const personOf = (number: string): Person => ({ id: toJid(number), pn: toJid(number), lid: '' })

function outcomeOf(answer: Answer<unknown>): Outcome {
  if (answer.kind === 'refused') return { kind: 'refused', code: answer.code }
  // The driver itself has refused it: there is no code of the network.
  return answer.kind === 'prevented' ? { kind: 'refused', code: 0 } : { kind: answer.kind }
}

export class DriverClient extends DriverConnection implements Client {
  async send(to: string, content: Content, withinMs?: number): Promise<Sent> {
    const made = this.network.encode(await this.#toSend(content))
    if (!made) throw new Lacking('the driver does not encode this')
    const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
    this.encoded.set(id, made.encoded)
    const answer = await this.network.send(id, toJid(to), made.encoded, deadline(withinMs))
    return { id, chat: to, fromMe: true, sender: this.number, outcome: outcomeOf(answer) }
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
      return { kind: 'reaction', target: keyOf(content.to), text: content.reaction, at: Date.now() }
    }
    if ('revoke' in content) return { kind: 'delete', target: keyOf(content.revoke) }
    if ('edit' in content) {
      const encoded = this.encoded.get(content.of.id) ?? new Uint8Array()
      return { kind: 'edit', target: keyOf(content.of), encoded, text: content.edit, at: Date.now() }
    }
    const { as, file, caption = '' } = content
    const about = { type: as, mimetype: MIMETYPES[as] ?? '', caption, fileName: 'a file', viewOnce: false }
    const stored = unwrap(await this.network.media.upload(as, Readable.from([file]), deadline()))
    return { kind: 'media', file: about, stored }
  }

  async markRead({ id, chat, sender }: Target) {
    const isGroup = chat.endsWith('@g.us')
    const key = { messageid: id, chatid: toJid(chat), sender: toJid(sender), isGroup }
    return outcomeOf(await this.network.markRead([key], deadline()))
  }
  async showTyping(chat: string, state: 'composing' | 'recording' | 'paused') {
    unwrap(await this.network.showPresence(toJid(chat), state, deadline()))
  }
  async showPresence(on: boolean) {
    unwrap(await this.network.account.showPresence(on ? 'available' : 'unavailable', deadline()))
  }
  async rejectCall({ id, from }: HeardCall) {
    return outcomeOf(await this.network.rejectCall(id, toJid(from), deadline()))
  }
  async isOnNetwork(number: string) {
    return unwrap(await this.network.checkNumbers([toJid(number)], deadline()))[0]?.exists === true
  }
  async unlink() {
    unwrap(await this.network.unlink(deadline()))
  }

  async createGroup(subject: string, people: string[]) {
    return unwrap(await this.network.groups.create(subject, people.map(toJid), deadline())).jid
  }
  async changeMembers(
    group: string,
    action: 'add' | 'remove' | 'promote' | 'demote',
    people: string[],
  ): Promise<void> {
    const { groups } = this.network
    const verdicts = unwrap(await groups.changeMembers(group, action, people.map(toJid), deadline()))
    const refused = verdicts.find(({ code }) => code !== 0)
    if (refused) throw new Error(`refused with ${refused.code}`)
  }
  async renameGroup(group: string, subject: string) {
    return outcomeOf(await this.network.groups.rename(group, subject, deadline()))
  }
  async describeGroup(group: string, text: string) {
    return outcomeOf(await this.network.groups.describe(group, text, deadline()))
  }
  async restrictGroup(group: string, to: 'announce' | 'lock') {
    return outcomeOf(await this.network.groups[to](group, true, deadline()))
  }
  async inviteCode(group: string) {
    const link = unwrap(await this.network.groups.inviteLink(group, deadline()))
    return link.split('/').at(-1) ?? ''
  }
  async joinGroup(code: string) {
    return unwrap(await this.network.groups.join(code, deadline())).jid
  }
  async leaveGroup(group: string) {
    return outcomeOf(await this.network.groups.leave(group, deadline()))
  }
  async members(group: string): Promise<GroupMember[]> {
    const { members } = unwrap(await this.network.groups.one(group, deadline()))
    return members.map(({ pn, role }) => ({ number: pn.replace(PERSON_SUFFIX, ''), role }))
  }

  async set({ what, of, value }: Setting, newest?: Target) {
    const { settings } = this.network
    const on = value === true
    switch (what) {
      case 'archive': {
        const last = newest && { messageid: newest.id, fromMe: newest.fromMe, sender: toJid(newest.sender) }
        const upTo = last && { ...last, isGroup: false, at: Date.now() }
        return unwrap(await settings.archive(personOf(of), on, upTo, deadline()))
      }
      case 'pin':
        return unwrap(await settings.pin(personOf(of), on, deadline()))
      case 'mute':
        return unwrap(await settings.mute(personOf(of), on ? -1 : 0, deadline()))
      case 'contact': {
        const full = String(value)
        return unwrap(await settings.addContact(personOf(of), { full, first: full }, deadline()))
      }
      case 'label': {
        const label = { name: String(value), color: 1, deleted: false }
        return unwrap(await settings.label(of, label, deadline()))
      }
      case 'label_chat':
        return unwrap(await settings.labelChat(String(value), personOf(of), true, deadline()))
      default:
        throw new Lacking(`the driver does not set ${what}`)
    }
  }
  async block(number: string) {
    const person = await this.network.knownAs(toJid(number))
    unwrap(await this.network.account.block(person, true, deadline()))
  }
  async setName(name: string) {
    unwrap(await this.network.settings.rename(name, deadline()))
  }
}

const keyOf = ({ id, chat, fromMe, sender }: Target): OwnKey => ({
  ...{ messageid: id, fromMe, chatid: toJid(chat), sender: toJid(sender) },
  isGroup: chat.endsWith('@g.us'),
})
