// A connection of the library's older line: how a device is linked and logged in, and what it receives, in the words of the scenarios.

import { createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import makeWASocket, {
  type AuthenticationState,
  type BinaryNode,
  decryptPollVote,
  downloadMediaMessage,
  getContentType,
  initAuthCreds,
  jidDecode,
  normalizeMessageContent,
  proto,
  type WAMessage,
  type WASocket,
} from 'baileys-6'
import { until } from '../until.ts'
import { MemoryKeys } from '../wire/memory-keys.ts'
import type { Closing, Progress, ReceivedCall, ReceivedMessage, Setting } from './client.ts'
import { delayResponses, MediaHost } from './older-workarounds.ts'

const NAMES: Record<string, string> = {
  conversation: 'text',
  secretEncryptedMessage: 'edit',
  extendedTextMessage: 'text',
  locationMessage: 'location',
  contactMessage: 'contact',
  contactsArrayMessage: 'contact',
  reactionMessage: 'reaction',
  pollCreationMessage: 'poll',
  pollCreationMessageV3: 'poll',
  pollUpdateMessage: 'vote',
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  ptvMessage: 'video',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}
const PROGRESS: Record<number, Progress> = { 3: 'delivered', 4: 'read', 5: 'played' }

export const toJid = (name: string) => (name.includes('@') ? name : `${name}@s.whatsapp.net`)
/** The number, or the id of a group; what is known by its LID only is named so. */
export const toName = (jid: string | null | undefined): string => {
  const parts = jidDecode(jid ?? undefined)
  return parts?.server === 's.whatsapp.net' ? parts.user : (jid ?? '')
}

export class OlderConnection {
  readonly received: ReceivedMessage[] = []
  readonly receipts: { id: string; progress: Progress }[] = []
  readonly settings: Setting[] = []
  readonly calls: ReceivedCall[] = []
  readonly groups: string[] = []
  readonly groupChanges: { group: string; change: string }[] = []
  protected readonly stored = new Map<string, WAMessage>()
  /** The errors of the acknowledgements that came, by message. */
  protected readonly acks = new Map<string, string | undefined>()
  readonly #url: string
  readonly keys = new MemoryKeys()
  readonly #auth: AuthenticationState = { creds: initAuthCreds(), keys: this.keys }
  #socket: WASocket | undefined
  #online = false
  #qr = ''
  #closing: Closing | undefined

  constructor(url: string) {
    this.#url = url
  }

  protected get socket(): WASocket {
    if (this.#socket === undefined) throw new Error('not connected yet')
    return this.#socket
  }
  get creds() {
    return this.#auth.creds
  }
  protected get me() {
    return this.#auth.creds.me
  }

  #connectSocket() {
    this.#closing = undefined
    const socket = makeWASocket({
      auth: this.#auth,
      waWebSocketUrl: this.#url,
      browser: ['Windows', 'Chrome', '10'],
      logger: createSilentLog(),
      markOnlineOnConnect: false,
      shouldSyncHistoryMessage: () => false,
      retryRequestDelayMs: 0,
      // It would also send a request to the phone, after five seconds in which it reads nothing else.
      placeholderResendCache: {
        get: () => true as never,
        set: () => true,
        del: () => 0,
        flushAll: () => undefined,
      },
      getMessage: async ({ id }) => this.stored.get(id ?? '')?.message ?? undefined,
    })
    this.#socket = socket
    const { ev, ws } = socket
    delayResponses(ws)
    ev.on('creds.update', (update) => Object.assign(this.#auth.creds, update))
    ev.on('connection.update', ({ qr, connection, receivedPendingNotifications, lastDisconnect }) => {
      if (this.#socket !== socket) return
      if (qr) this.#qr = qr
      if (receivedPendingNotifications) this.#online = true
      if (connection !== 'close') return
      this.#online = false
      const error = lastDisconnect?.error as { output?: { statusCode?: number } } | undefined
      this.#closing = { code: error?.output?.statusCode ?? 0 }
    })
    ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => this.acks.set(attrs.id ?? '', attrs.error))
    this.#listenTo(socket)
  }

  #listenTo({ ev }: WASocket) {
    ev.on('messages.upsert', ({ messages }) => {
      for (const message of messages) {
        this.#recordProgress(message.key, message.status)
        if (!message.key.fromMe) this.#toHeard(message)
      }
    })
    ev.on('messages.update', (updates) => {
      for (const { key, update } of updates) {
        this.#recordProgress(key, update.status)
        if (update.starred === undefined) continue
        this.settings.push({ what: 'star', of: toName(key.remoteJid), value: update.starred === true })
      }
    })
    ev.on('message-receipt.update', (updates) => {
      for (const { key, receipt } of updates) {
        this.receipts.push({ id: key.id ?? '', progress: receipt.readTimestamp ? 'read' : 'delivered' })
      }
    })
    ev.on('chats.update', (updates) => {
      for (const { id, archived, pinned, muteEndTime, unreadCount } of updates) {
        const of = toName(id)
        if (archived !== undefined) this.settings.push({ what: 'archive', of, value: archived === true })
        if (pinned !== undefined) this.settings.push({ what: 'pin', of, value: pinned !== null })
        if (muteEndTime !== undefined) this.settings.push({ what: 'mute', of, value: muteEndTime !== null })
        if (unreadCount === 0 || unreadCount === -1) {
          this.settings.push({ what: 'read', of, value: unreadCount === 0 })
        }
      }
    })
    ev.on('contacts.upsert', (contacts) => {
      for (const { id, name = '' } of contacts)
        this.settings.push({ what: 'contact', of: toName(id), value: name })
    })
    ev.on('labels.edit', ({ id, name }) => this.settings.push({ what: 'label', of: id, value: name }))
    ev.on('labels.association', ({ association: { chatId, labelId } }) => {
      this.settings.push({ what: 'label_chat', of: toName(chatId), value: labelId })
    })
    ev.on('call', (calls) => {
      for (const { id, from, status } of calls) this.calls.push({ id, from: toName(from), state: status })
    })
    ev.on('groups.upsert', (groups) => void this.groups.push(...groups.map(({ id }) => id)))
    ev.on('groups.update', (updates) => {
      for (const { id = '', subject, announce, restrict } of updates) {
        if (subject !== undefined) this.groupChanges.push({ group: id, change: `subject ${subject}` })
        if (announce !== undefined) this.groupChanges.push({ group: id, change: `announce ${announce}` })
        if (restrict !== undefined) this.groupChanges.push({ group: id, change: `locked ${restrict}` })
      }
    })
    ev.on('group-participants.update', ({ id, participants, action }) => {
      for (const one of participants)
        this.groupChanges.push({ group: id, change: `${action} ${toName(one)}` })
    })
  }

  #recordProgress({ id, fromMe }: proto.IMessageKey, status: number | null | undefined) {
    const progress = PROGRESS[status ?? 0]
    if (fromMe && progress) this.receipts.push({ id: id ?? '', progress })
  }

  #toHeard(message: WAMessage) {
    const { key } = message
    const content = normalizeMessageContent(message.message)
    const kind = getContentType(content)
    const change = content?.protocolMessage
    // Messages between devices of an account are not written by people.
    if (change && change.type !== 0 && change.type !== 14) return
    const id = key.id ?? ''
    this.stored.set(id, message)
    const sender = key.participant ? (key.participantPn ?? key.participant) : (key.senderPn ?? key.remoteJid)
    const chat = key.participant ? toName(key.remoteJid) : toName(sender)
    const vote = content?.pollUpdateMessage
    const sealed = content?.secretEncryptedMessage
    const target =
      change?.key ?? content?.reactionMessage?.key ?? vote?.pollCreationMessageKey ?? sealed?.targetMessageKey
    const edited = normalizeMessageContent(change?.editedMessage ?? this.#openEdit(sealed, toName(sender)))
    const current = edited ?? content
    const text = current?.conversation ?? current?.extendedTextMessage?.text ?? current?.reactionMessage?.text
    const type = change
      ? change.type === 0
        ? 'revoke'
        : 'edit'
      : (NAMES[kind ?? ''] ?? (message.messageStubType ? 'undecryptable' : 'other'))
    this.received.push({
      id,
      chat,
      sender: toName(sender),
      fromMe: false,
      type,
      text: text ?? readPollName(content) ?? '',
      target: target?.id ?? '',
      downloadFile: async () => {
        const { hosts } = await this.socket.refreshMediaConn(false)
        const httpsAgent = new MediaHost(hosts[0]?.hostname ?? '')
        return downloadMediaMessage(message, 'buffer', { options: { httpsAgent } })
      },
      listChoices: async () => this.#listChoices(vote, toName(sender)),
    })
  }

  /** The library leaves votes to its caller, and gives them the function that opens them. */
  #listChoices(vote: proto.Message.IPollUpdateMessage | null | undefined, voter: string): string[] {
    const poll = this.stored.get(vote?.pollCreationMessageKey?.id ?? '')
    const options = readPoll(poll?.message)?.options ?? []
    const { selectedOptions = [] } = decryptPollVote(vote?.vote ?? {}, {
      pollCreatorJid: toJid(jidDecode(this.me?.id)?.user ?? ''),
      pollMsgId: poll?.key.id ?? '',
      pollEncKey: poll?.message?.messageContextInfo?.messageSecret ?? new Uint8Array(),
      voterJid: toJid(voter),
    })
    const digests = new Set((selectedOptions ?? []).map((digest) => Buffer.from(digest).toString('hex')))
    return options.map(({ optionName }) => optionName ?? '').filter((name) => digests.has(hashName(name)))
  }

  /** The library has no function for edits under the secret of their message. */
  #openEdit(
    sealed: proto.Message.ISecretEncryptedMessage | null | undefined,
    author: string,
  ): proto.IMessage | undefined {
    const id = sealed?.targetMessageKey?.id ?? ''
    const secret = this.stored.get(id)?.message?.messageContextInfo?.messageSecret
    const bytes = Buffer.from(sealed?.encPayload ?? [])
    if (!secret || bytes.length < 16) return undefined
    const key = hkdfSync('sha256', secret, '', `${id}${toJid(author)}${toJid(author)}Message Edit`, 32)
    const cipher = createDecipheriv('aes-256-gcm', Buffer.from(key), sealed?.encIv ?? new Uint8Array())
    cipher.setAuthTag(bytes.subarray(-16))
    const plain = Buffer.concat([cipher.update(bytes.subarray(0, -16)), cipher.final()])
    return proto.Message.decode(plain).protocolMessage?.editedMessage ?? undefined
  }

  showQr() {
    this.#connectSocket()
    return until(() => this.#qr)
  }
  async showCode(number: string) {
    await this.showQr()
    return this.socket.requestPairingCode(number)
  }
  async login() {
    this.#connectSocket()
    await until(() => this.#online)
    // The phone shares the keys of the account's settings at a device's first login.
    await until(() => this.#auth.creds.myAppStateKeyId)
  }
  async tryLogin() {
    this.#connectSocket()
  }
  isOnline = () => this.#online
  waitUntilClosed = () => until(() => this.#closing)
  async leave() {
    this.#online = false
    this.#socket?.end(undefined)
  }
}

const hashName = (name: string) => createHash('sha256').update(name).digest('hex')

const readPoll = (content: proto.IMessage | null | undefined) =>
  content?.pollCreationMessage ?? content?.pollCreationMessageV3

const readPollName = (content: proto.IMessage | undefined) => readPoll(content)?.name
