// The library's older line, in the words of the scenarios.

import type { AnyMessageContent, WAMessage } from 'baileys-6'
import { until } from '../until.ts'
import type { Client, Content, GroupMember, Outcome, ReceivedCall, Sent, Setting, Target } from './client.ts'
import { OlderConnection, toJid, toName } from './older-connection.ts'

const PRESET_MS = 10_000

/** The library's errors name the code with which the network refused. */
async function toOutcome(request: Promise<unknown>): Promise<Outcome> {
  try {
    await request
    return { kind: 'done' }
  } catch (error) {
    const { data } = error as { data?: unknown }
    if (typeof data !== 'number') throw error
    return { kind: 'refused', code: data }
  }
}

export class OlderClient extends OlderConnection implements Client {
  async send(to: string, content: Content, withinMs = PRESET_MS): Promise<Sent> {
    const quoted = 'text' in content && content.quoted ? this.stored.get(content.quoted.id) : undefined
    const message = await this.socket.sendMessage(toJid(to), toSend(content), quoted && { quoted })
    if (!message?.key.id) throw new Error('the library sent nothing')
    const { id } = message.key
    this.stored.set(id, message)
    const outcome = await this.#waitForOutcome(id, withinMs)
    return { id, chat: to, fromMe: true, sender: toName(this.me?.id), outcome }
  }

  /** The library does not wait for it. */
  async #waitForOutcome(id: string, within: number): Promise<Outcome> {
    try {
      await until(() => this.acks.has(id), { within })
    } catch {
      return { kind: 'unknown' }
    }
    const code = this.acks.get(id)
    return code === undefined ? { kind: 'done' } : { kind: 'refused', code: Number(code) }
  }

  markRead({ id, chat, sender }: Target) {
    const participant = chat.endsWith('@g.us') ? { participant: toJid(sender) } : {}
    return toOutcome(this.socket.readMessages([{ id, remoteJid: toJid(chat), ...participant }]))
  }
  showTyping(chat: string, state: 'composing' | 'recording' | 'paused') {
    return this.socket.sendPresenceUpdate(state, toJid(chat))
  }
  showPresence(on: boolean) {
    return this.socket.sendPresenceUpdate(on ? 'available' : 'unavailable')
  }
  rejectCall({ id, from }: ReceivedCall) {
    return toOutcome(this.socket.rejectCall(id, toJid(from)))
  }
  async isOnNetwork(number: string) {
    const found = await this.socket.onWhatsApp(toJid(number))
    return found?.[0]?.exists === true
  }
  unlink() {
    return this.socket.logout()
  }

  async createGroup(subject: string, people: string[]) {
    return (await this.socket.groupCreate(subject, people.map(toJid))).id
  }
  async changeMembers(group: string, action: 'add' | 'remove' | 'promote' | 'demote', people: string[]) {
    const verdicts = await this.socket.groupParticipantsUpdate(group, people.map(toJid), action)
    const refused = verdicts.find(({ status }) => status !== '200')
    if (refused) throw new Error(`refused with ${refused.status}`)
  }
  renameGroup = (group: string, subject: string) => toOutcome(this.socket.groupUpdateSubject(group, subject))
  describeGroup = (group: string, text: string) => toOutcome(this.socket.groupUpdateDescription(group, text))
  restrictGroup = (group: string, to: 'announce' | 'lock') =>
    toOutcome(this.socket.groupSettingUpdate(group, to === 'lock' ? 'locked' : 'announcement'))
  readInviteCode = async (group: string) => (await this.socket.groupInviteCode(group)) ?? ''
  joinGroup = async (code: string) => (await this.socket.groupAcceptInvite(code)) ?? ''
  leaveGroup = (group: string) => toOutcome(this.socket.groupLeave(group))
  async listMembers(group: string): Promise<GroupMember[]> {
    const { participants } = await this.socket.groupMetadata(group)
    return participants.map(({ id, jid, admin }) => ({ number: toName(jid ?? id), role: admin ?? 'member' }))
  }

  async changeSetting({ what, of, value }: Setting, newest?: Target) {
    const on = value === true
    const jid = toJid(of)
    const { socket } = this
    const key = newest && { id: newest.id, remoteJid: toJid(newest.chat), fromMe: newest.fromMe }
    const lastMessages = key ? [{ key, messageTimestamp: Math.floor(Date.now() / 1000) }] : []
    const name = String(value)
    switch (what) {
      case 'archive':
        return socket.chatModify({ archive: on, lastMessages }, jid)
      case 'pin':
        return socket.chatModify({ pin: on }, jid)
      case 'mute':
        return socket.chatModify({ mute: on ? -1 : null }, jid)
      case 'read':
        return socket.chatModify({ markRead: on, lastMessages }, jid)
      case 'star':
        return socket.star(jid, [{ id: newest?.id ?? '', fromMe: newest?.fromMe ?? false }], on)
      case 'contact':
        return socket.addOrEditContact(jid, {
          fullName: name,
          firstName: name,
          saveOnPrimaryAddressbook: true,
        })
      case 'label':
        return socket.addLabel('', { id: of, name, color: 1 })
      case 'label_chat':
        return socket.addChatLabel(jid, name)
    }
  }
  blockNumber(number: string) {
    return this.socket.updateBlockStatus(toJid(number), 'block')
  }
  setName(name: string) {
    return this.socket.updateProfileName(name)
  }
}

const createKey = ({ id, chat, fromMe, sender }: Target): WAMessage['key'] => ({
  id,
  fromMe,
  remoteJid: toJid(chat),
  ...(chat.endsWith('@g.us') && !fromMe && { participant: toJid(sender) }),
})

function toSend(content: Content): AnyMessageContent {
  if ('text' in content) return { text: content.text }
  if ('place' in content) {
    const { latitude, longitude, name } = content.place
    return { location: { degreesLatitude: latitude, degreesLongitude: longitude, name } }
  }
  if ('card' in content) {
    const { name: displayName, vcard } = content.card
    return { contacts: { displayName, contacts: [{ displayName, vcard }] } }
  }
  if ('poll' in content) {
    return { poll: { name: content.poll.name, values: content.poll.choices, selectableCount: 1 } }
  }
  if ('reaction' in content) return { react: { text: content.reaction, key: createKey(content.to) } }
  if ('edit' in content) return { text: content.edit, edit: createKey(content.of) }
  if ('revoke' in content) return { delete: createKey(content.revoke) }
  const { as, file, caption } = content
  // With a preview of its own the library makes none, which would take programs that a machine may not have.
  const options = { ...(caption !== undefined && { caption }), jpegThumbnail: '' }
  switch (as) {
    case 'image':
      return { image: file, ...options }
    case 'video':
      return { video: file, ...options }
    case 'audio':
      return { audio: file, mimetype: 'audio/mp4', seconds: 1 }
    case 'document':
      return { document: file, mimetype: 'application/pdf', fileName: 'a file' }
    case 'sticker':
      return { sticker: file }
  }
}
