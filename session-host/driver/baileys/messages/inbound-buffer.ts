// The inbound buffer stores decrypted messages in the commit that advances the ratchet, until they are stored as messages.

import {
  type AuthenticationState,
  type BinaryNode,
  BufferJSON,
  type SignalDataSet,
  type SocketConfig,
  type WAMessage,
  type WAMessageKey,
  writeRandomPadMax16,
} from 'baileys'
import { crashIfArmed } from '../../../crash-points.ts'
import type { Log } from '../../../host-log.ts'
import type { CredentialStore } from '../../../store/credential-store.ts'
import type { FindStoredMessage, MessagePlace } from '../../driver.ts'
import { toGatewayJid } from '../ids.ts'
import { createRatchets } from '../keys/ratchets.ts'
import type { OwnIds } from './inbound-messages.ts'
import { limitPlaintext } from './oversized.ts'
import { decodePart, readEnvelope, type StoredPart } from './stored-part.ts'
import { createUnreportedMessages } from './unreported-messages.ts'

/** A kind of row beside the library's kinds of keys. */
const KIND = 'received'
/** At most so much of a message is counted as awaited: of a larger one less is kept, and it is handed over like any other. */
const MAX_COUNTED_BYTES = 1024 * 1024

/** The decrypted parts of a message. */
interface BufferedMessage {
  /** The rows of the buffer that hold it, until it is stored as a message. */
  rows: string[]
  parts: Map<number, StoredPart>
}

/**
 * The library acknowledges a message to the network before it hands the message over, and a decrypted message
 * cannot be decrypted again: a process that dies, or a socket that drops, in between would lose it for good.
 */
export interface InboundBuffer {
  createRepository: SocketConfig['makeSignalRepository']
  /** Called with every frame before the library handles it, so that a ciphertext can be assigned to its stanza. */
  registerFrame(frame: unknown): void
  /** The library has handed them over. */
  markReported(keys: WAMessageKey[]): void
  /** Sets the listener that is called with the key of a message before it is decrypted. */
  onDecrypting(listener: (key: WAMessageKey) => void): void
  /** Sets the listener for messages that the library has decrypted and not handed over: some it never does. */
  onOverdue(listener: (messages: WAMessage[]) => void): void
  /** These are stored as messages now, so the buffer can forget them. */
  markStored(keys: WAMessageKey[]): void
  /** Loads the messages that earlier sockets left over, before this one receives any. */
  loadEarlier(): Promise<void>
  /** The messages that were decrypted on an earlier socket and never handed over. */
  restoreEarlier(): WAMessage[]
}

export function createInboundBuffer(
  store: CredentialStore,
  instance: string,
  { creds, keys: keyStore }: AuthenticationState,
  findStoredMessage: FindStoredMessage,
  log: Log,
): InboundBuffer {
  const stanzas = new WeakMap<Uint8Array, { attrs: StoredPart['attrs']; part: number }>()
  /** Decrypted messages by name. */
  const bufferedMessages = new Map<string, BufferedMessage>()
  /** Names of messages that an earlier socket decrypted: the network may send them again after they were stored. */
  const earlier = new Set<string>()
  const unreported = createUnreportedMessages()
  let overdueListener: (messages: WAMessage[]) => void = () => undefined
  let decryptListener: (key: WAMessageKey) => void = () => undefined
  let latestRow = 0
  let deletableRows: string[] = []
  const logUnreadable = (error: unknown) =>
    log.warn({ instance, err: error }, 'a message that was kept and never handed over cannot be read')

  const getMe = (): OwnIds => creds.me ?? { id: '' }
  const readKey = (attrs: StoredPart['attrs']) => readEnvelope(attrs, getMe()).key

  function addRow(key: WAMessageKey, row: string): BufferedMessage {
    const name = toMessageName(key)
    const message: BufferedMessage = bufferedMessages.get(name) ?? { rows: [], parts: new Map() }
    bufferedMessages.set(name, message)
    message.rows.push(row)
    return message
  }

  /** A new row each time, because an earlier one may be about to be deleted. Rows are read in this order. */
  const createRowId = (messageid: string) => `${messageid} ${String(++latestRow).padStart(15, '0')}`

  function deleteRows(rows: string[]): void {
    if (rows.length === 0) return
    deletableRows.push(...rows)
    // A row that is left over, also by a crash, is recognised by its message and deleted after the next start.
    if (deletableRows.length === rows.length)
      store
        .deleteLater(instance, KIND, takeDeletableRows)
        .catch((error) => log.warn({ instance, err: error }, 'received messages are not forgotten yet'))
  }

  function takeDeletableRows(): string[] {
    const ids = deletableRows
    deletableRows = []
    return ids
  }

  /** Undefined if no part of the message can be read; it is then deleted. */
  function restoreMessage(name: string): WAMessage | undefined {
    const { rows, parts } = bufferedMessages.get(name) ?? { rows: [], parts: new Map<number, StoredPart>() }
    const rebuilt = [...parts.values()]
      .map(({ attrs, plain }) => decodePart(attrs, plain, getMe(), logUnreadable))
      .filter((part) => part !== undefined)
    const message = Object.assign({}, ...rebuilt.map((part) => part.message))
    if (rebuilt[0]) return { ...rebuilt[0], message }
    deleteRows(rows.splice(0))
    if (!earlier.has(name)) bufferedMessages.delete(name)
    return undefined
  }

  const restoreMessages = (names: Iterable<string>): WAMessage[] =>
    [...names].map(restoreMessage).filter((message) => message !== undefined)

  return {
    createRepository(...parts) {
      const { repository, keys } = createRatchets(keyStore, ...parts)

      // Nested transactions are one commit.
      const decryptAndStore = async (
        ciphertext: Uint8Array,
        device: string,
        decrypt: () => Promise<Uint8Array>,
      ) => {
        const arrived = stanzas.get(ciphertext)
        const key = arrived?.attrs.id === undefined ? undefined : readKey(arrived.attrs)
        if (key) decryptListener(key)
        const decrypted = keys.transaction(async () => {
          const whole = await decrypt()
          const { padded, storable } = limitPlaintext(whole, key?.fromMe === true)
          if (arrived && key?.id && storable) {
            const row = createRowId(key.id)
            const storedPart: StoredPart = { ...arrived, plain: toPlainArray(padded) }
            const { parts } = addRow(key, row)
            await keys.set({ [KIND]: { [row]: storedPart } } as SignalDataSet)
            parts.set(arrived.part, storedPart)
            unreported.addMessage(toMessageName(key), Math.min(whole.length, MAX_COUNTED_BYTES))
          }
          return padded
        }, device)
        const kept = await decrypted.catch(async (error) => {
          const again = arrived && key && (await findRedelivered(key, arrived.part))
          if (!again) throw error
          return again
        })
        const overdueMessages = restoreMessages(unreported.takeOverdue())
        if (overdueMessages.length > 0) overdueListener(overdueMessages)
        crashIfArmed('before-receipt')
        return kept
      }

      /**
       * The network delivers a message without a receipt again, and a message cannot be decrypted twice. The library
       * would ask its sender for it, who begins a session for each: after forty, messages that were sent in the first can no longer be
       * decrypted.
       */
      async function findRedelivered(key: WAMessageKey, part: number) {
        const message = bufferedMessages.get(toMessageName(key))
        if (message) return message.parts.get(part)?.plain
        const encoded = await findStoredMessage(instance, key.id ?? '', toMessagePlace(key))
        // An undecryptable message is not stored, so its sender is asked for it.
        return encoded?.length ? writeRandomPadMax16(encoded) : undefined
      }

      return {
        ...repository,
        decryptMessage: (options) =>
          decryptAndStore(options.ciphertext, options.jid, () => repository.decryptMessage(options)),
        decryptGroupMessage: (options) =>
          decryptAndStore(options.msg, options.group, () => repository.decryptGroupMessage(options)),
      }
    },

    registerFrame(frame) {
      const { tag, attrs, content } = frame as BinaryNode
      if (tag !== 'message' || !Array.isArray(content)) return
      for (const [part, child] of content.entries()) {
        if (child.tag === 'enc' && child.content instanceof Uint8Array)
          stanzas.set(child.content, { attrs, part })
      }
    },

    markReported(keys) {
      for (const key of keys) unreported.removeMessage(toMessageName(key))
    },

    onDecrypting(listener) {
      decryptListener = listener
    },

    onOverdue(listener) {
      overdueListener = listener
    },

    markStored(keys) {
      for (const key of keys) {
        const name = toMessageName(key)
        deleteRows(bufferedMessages.get(name)?.rows.splice(0) ?? [])
        if (!earlier.has(name)) bufferedMessages.delete(name)
      }
    },

    async loadEarlier() {
      for (const [row, bytes] of await store.readAll(instance, KIND)) {
        const storedPart: StoredPart = JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)
        latestRow = Math.max(latestRow, Number(row.split(' ').at(-1)) || 0)
        try {
          const key = readKey(storedPart.attrs)
          const { parts } = addRow(key, row)
          earlier.add(toMessageName(key))
          parts.set(storedPart.part ?? parts.size, storedPart)
        } catch (error) {
          logUnreadable(error)
          deleteRows([row])
        }
      }
    },

    restoreEarlier: () => restoreMessages(earlier),
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
