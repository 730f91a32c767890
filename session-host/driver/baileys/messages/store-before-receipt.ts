// Stores decrypted messages in the commit that advances the ratchet, before the network gets a receipt, until they are stored as messages.

import { removeNuls } from '@msgnet/shared/truncation.ts'
import {
  type AuthenticationCreds,
  type AuthenticationState,
  type BinaryNode,
  BufferJSON,
  cleanMessage,
  decodeMessageNode,
  proto,
  type SignalDataSet,
  type SignalKeyStore,
  type SocketConfig,
  unpadRandomMax16,
  type WAMessage,
  type WAMessageKey,
  writeRandomPadMax16,
} from 'baileys'
import { crashIfArmed } from '../../../process/crash-points.ts'
import type { Log } from '../../../process/host-log.ts'
import type { CredentialStore } from '../../../store/credential-store.ts'
import type { FindStoredMessage, MessagePlace } from '../../driver.ts'
import { toGatewayJid } from '../ids.ts'
import { createRatchets, type Ratchets } from '../keys/ratchets.ts'
import type { OwnIds } from './message-conversion.ts'
import { limitPlaintext } from './oversized.ts'
import { UnreportedBytes } from './unreported-bytes.ts'

/** A kind of row in addition to the library's kinds of keys. */
const KIND = 'received'
/** At most so much of a message is counted as unreported: a larger one is stored cut, and reported like any other. */
const MAX_COUNTED_BYTES = 1024 * 1024

/** A decrypted part of a message, as it is stored. A group's first message comes in two parts: the sender's key and the text. */
interface StoredPart {
  attrs: Record<string, string>
  /** Its place in the stanza. */
  part: number
  plain: Uint8Array
}

/** The decrypted parts of a message. */
interface BufferedMessage {
  /** The rows of the buffer that hold it, until it is stored as a message. */
  rows: string[]
  parts: Map<number, StoredPart>
}

type Keys = ReturnType<typeof createRatchets>['keys']

/**
 * The library acknowledges a message to the network before it reports the message, and a decrypted message
 * cannot be decrypted again: a process that dies, or a socket that drops, in between would lose it for good.
 */
export class ReceivedMessages {
  readonly #store: CredentialStore
  readonly #instance: string
  readonly #creds: AuthenticationCreds
  readonly #keyStore: SignalKeyStore
  readonly #findStoredMessage: FindStoredMessage
  readonly #log: Log
  readonly #stanzas = new WeakMap<Uint8Array, { attrs: StoredPart['attrs']; part: number }>()
  /** Decrypted messages by name. */
  readonly #messages = new Map<string, BufferedMessage>()
  /** Names of messages that an earlier socket decrypted: the network may send them again after they were stored. */
  readonly #earlier = new Set<string>()
  readonly #unreported = new UnreportedBytes()
  #onOverdue: (messages: WAMessage[]) => void = () => undefined
  #onDecrypting: (key: WAMessageKey) => void = () => undefined
  #onIdentityChanged: (jid: string) => Promise<void> = async () => undefined
  #closeSession: Ratchets['closeSession'] = async () => undefined
  #latestRow = 0
  #deletableRows: string[] = []

  constructor(
    store: CredentialStore,
    instance: string,
    { creds, keys }: AuthenticationState,
    findStoredMessage: FindStoredMessage,
    log: Log,
  ) {
    this.#store = store
    this.#instance = instance
    this.#creds = creds
    this.#keyStore = keys
    this.#findStoredMessage = findStoredMessage
    this.#log = log
  }

  createRepository: SocketConfig['makeSignalRepository'] = (...parts) => {
    const ratchets = createRatchets(this.#keyStore, ...parts)
    const { repository, keys } = ratchets
    this.#closeSession = ratchets.closeSession
    return {
      ...repository,
      injectE2ESession: (options) =>
        this.#watchIdentity(ratchets.readIdentity, options.jid, () => repository.injectE2ESession(options)),
      decryptMessage: (options) => {
        const decrypt = () =>
          this.#decryptAndStore(keys, options.ciphertext, options.jid, () =>
            repository.decryptMessage(options),
          )
        if (options.type !== 'pkmsg') return decrypt()
        return this.#watchIdentity(ratchets.readNamedIdentity, options.jid, decrypt)
      },
      decryptGroupMessage: (options) =>
        this.#decryptAndStore(keys, options.msg, options.group, () =>
          repository.decryptGroupMessage(options),
        ),
    }
  }

  /** Sets the listener that is called with a device that has another identity than before. */
  onIdentityChanged(listener: (jid: string) => Promise<void>, onError: (error: unknown) => void): void {
    this.#onIdentityChanged = (jid) => listener(jid).catch(onError)
  }

  /** The next message to the device begins a new session. */
  closeSession(jid: string): Promise<void> {
    return this.#closeSession(jid)
  }

  async #watchIdentity<Value>(
    readIdentity: Ratchets['readIdentity'],
    jid: string,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const before = await readIdentity(jid)
    const value = await work()
    const now = before && (await readIdentity(jid))
    // Not waited for: a message that is being sent may need the session in which this one was received.
    if (before && now && Buffer.compare(before, now) !== 0) void this.#onIdentityChanged(jid)
    return value
  }

  /** Called with every frame before the library handles it, so that a ciphertext can be assigned to its stanza. */
  registerFrame(frame: unknown): void {
    const { tag, attrs, content } = frame as BinaryNode
    if (tag !== 'message' || !Array.isArray(content)) return
    for (const [part, child] of content.entries()) {
      if (child.tag === 'enc' && child.content instanceof Uint8Array)
        this.#stanzas.set(child.content, { attrs, part })
    }
  }

  /** The library has reported them. */
  markReported(keys: WAMessageKey[]): void {
    for (const key of keys) this.#unreported.removeMessage(toMessageName(key))
  }

  /** Sets the listener that is called with the key of a message before it is decrypted. */
  onDecrypting(listener: (key: WAMessageKey) => void): void {
    this.#onDecrypting = listener
  }

  /** Sets the listener for messages that the library has decrypted and not reported: some it never does. */
  onOverdue(listener: (messages: WAMessage[]) => void): void {
    this.#onOverdue = listener
  }

  /** These are stored as messages now, so the buffer can delete them. */
  markStored(keys: WAMessageKey[]): void {
    for (const key of keys) {
      const name = toMessageName(key)
      this.#deleteRows(this.#messages.get(name)?.rows.splice(0) ?? [])
      if (!this.#earlier.has(name)) this.#messages.delete(name)
    }
  }

  /** Loads the messages that earlier sockets left over, before this one receives any. */
  async loadEarlier(): Promise<void> {
    for (const [row, bytes] of await this.#store.readAll(this.#instance, KIND)) {
      const stored: StoredPart = JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)
      this.#latestRow = Math.max(this.#latestRow, Number(row.split(' ').at(-1)) || 0)
      try {
        const key = this.#readKey(stored.attrs)
        const { parts } = this.#addRow(key, row)
        this.#earlier.add(toMessageName(key))
        parts.set(stored.part, stored)
      } catch (error) {
        this.#logUnreadable(error)
        this.#deleteRows([row])
      }
    }
  }

  /** The messages that were decrypted on an earlier socket and never reported. */
  restoreEarlier(): WAMessage[] {
    return this.#restoreMessages(this.#earlier)
  }

  async #decryptAndStore(
    keys: Keys,
    ciphertext: Uint8Array,
    device: string,
    decrypt: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const stanza = this.#stanzas.get(ciphertext)
    const key = stanza?.attrs.id === undefined ? undefined : this.#readKey(stanza.attrs)
    if (key) this.#onDecrypting(key)
    // Nested transactions are one commit.
    const decrypted = keys.transaction(async () => {
      const plaintext = await decrypt()
      const { padded, storable } = limitPlaintext(plaintext, key?.fromMe === true)
      if (stanza && key?.id && storable) {
        const row = this.#createRowId(key.id)
        const stored: StoredPart = { ...stanza, plain: toPlainArray(padded) }
        const { parts } = this.#addRow(key, row)
        await keys.set({ [KIND]: { [row]: stored } } as SignalDataSet)
        parts.set(stanza.part, stored)
        this.#unreported.addMessage(toMessageName(key), Math.min(plaintext.length, MAX_COUNTED_BYTES))
      }
      return padded
    }, device)
    const padded = await decrypted.catch(async (error) => {
      const again = stanza && key && (await this.#findRedelivered(key, stanza.part))
      if (!again) throw error
      return again
    })
    const overdue = this.#restoreMessages(this.#unreported.takeOverdue())
    if (overdue.length > 0) this.#onOverdue(overdue)
    crashIfArmed('before-receipt')
    return padded
  }

  /**
   * The network delivers a message without a receipt again, and a message cannot be decrypted twice. The library
   * would request it from its sender, who begins a session for each: after forty, messages that were sent in the first can no longer
   * be decrypted.
   */
  async #findRedelivered(key: WAMessageKey, part: number): Promise<Uint8Array | undefined> {
    const message = this.#messages.get(toMessageName(key))
    if (message) return message.parts.get(part)?.plain
    const encoded = await this.#findStoredMessage(this.#instance, key.id ?? '', toMessagePlace(key))
    // An undecryptable message is not stored, so it is requested from its sender.
    return encoded?.length ? writeRandomPadMax16(encoded) : undefined
  }

  #addRow(key: WAMessageKey, row: string): BufferedMessage {
    const name = toMessageName(key)
    const message: BufferedMessage = this.#messages.get(name) ?? { rows: [], parts: new Map() }
    this.#messages.set(name, message)
    message.rows.push(row)
    return message
  }

  /** A new row each time, because an earlier one may be about to be deleted. Rows are read in this order. */
  #createRowId(messageid: string): string {
    this.#latestRow += 1
    return `${removeNuls(messageid)} ${String(this.#latestRow).padStart(15, '0')}`
  }

  #deleteRows(rows: string[]): void {
    if (rows.length === 0) return
    this.#deletableRows.push(...rows)
    // A row that is left over, also by a crash, is recognised by its message and deleted after the next start.
    if (this.#deletableRows.length === rows.length)
      this.#store
        .deleteLater(this.#instance, KIND, () => this.#takeDeletableRows())
        .catch((error) => this.#log.warn({ error }, 'failed to delete received messages'))
  }

  #takeDeletableRows(): string[] {
    const ids = this.#deletableRows
    this.#deletableRows = []
    return ids
  }

  #restoreMessages(names: Iterable<string>): WAMessage[] {
    return [...names].map((name) => this.#restoreMessage(name)).filter((message) => message !== undefined)
  }

  /** Undefined if no part of the message can be read; it is then deleted. */
  #restoreMessage(name: string): WAMessage | undefined {
    const { rows, parts } = this.#messages.get(name) ?? { rows: [], parts: new Map<number, StoredPart>() }
    const decoded = [...parts.values()]
      .map((part) => this.#decodePart(part))
      .filter((part) => part !== undefined)
    const message = Object.assign({}, ...decoded.map((part) => part.message))
    if (decoded[0]) return { ...decoded[0], message }
    this.#deleteRows(rows.splice(0))
    if (!this.#earlier.has(name)) this.#messages.delete(name)
    return undefined
  }

  /** Undefined for plaintext that is no message. */
  #decodePart({ attrs, plain }: StoredPart): WAMessage | undefined {
    try {
      const own = this.#getOwnIds()
      const decoded = proto.Message.decode(unpadRandomMax16(plain))
      const message = decoded.deviceSentMessage?.message ?? decoded
      const restored = { ...this.#readEnvelope(attrs), message } as WAMessage
      cleanMessage(restored, own.id, own.lid ?? '')
      return restored
    } catch (error) {
      this.#logUnreadable(error)
      return undefined
    }
  }

  #getOwnIds(): OwnIds {
    return this.#creds.me ?? { id: '' }
  }

  /** Throws for a stanza that is no message. */
  #readEnvelope(attrs: StoredPart['attrs']): WAMessage {
    const { id, lid = '' } = this.#getOwnIds()
    return decodeMessageNode({ tag: 'message', attrs }, id, lid).fullMessage
  }

  #readKey(attrs: StoredPart['attrs']): WAMessageKey {
    return this.#readEnvelope(attrs).key
  }

  #logUnreadable(error: unknown): void {
    this.#log.warn({ error }, 'failed to read received message')
  }
}

/** The message's chat and author, because senders choose their ids. In a chat of two `fromMe` is the author. */
const toMessagePlace = ({ remoteJid, participant, fromMe }: WAMessageKey): MessagePlace => ({
  chats: [toGatewayJid(remoteJid)],
  author: toGatewayJid(participant),
  fromMe: fromMe === true,
})

function toMessageName(key: WAMessageKey): string {
  const { chats, author, fromMe } = toMessagePlace(key)
  return `${chats} ${author} ${fromMe ? 'me' : ''} ${key.id}`
}

/** Without the Buffer: JSON writes one as a list of numbers first, and 1 MB would block every session for 50 ms. */
const toPlainArray = ({ buffer, byteOffset, length }: Uint8Array) =>
  new Uint8Array(buffer, byteOffset, length)
