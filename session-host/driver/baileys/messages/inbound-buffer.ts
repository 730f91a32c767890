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
import { crashPoint } from '../../../crash.ts'
import type { Log } from '../../../log.ts'
import type { CredentialStore } from '../../../store/credentials.ts'
import type { FindStored, MessagePlace } from '../../driver.ts'
import { inward } from '../ids.ts'
import { makeRatchets } from '../keys/ratchets.ts'
import type { Me } from './inbound.ts'
import { type Kept, readEnvelope, rebuild } from './kept-part.ts'
import { makeAwaited } from './overdue.ts'
import { boundPlain } from './oversized.ts'

/** A kind of row beside the library's kinds of keys. */
const KIND = 'received'
/** At most so much of a message is counted as awaited: of a larger one less is kept, and it is handed over like any other. */
const COUNTED_BYTES = 1024 * 1024

/** The decrypted parts of a message. */
interface Heard {
  /** The rows of the buffer that hold it, until it is stored as a message. */
  rows: string[]
  parts: Map<number, Kept>
}

/**
 * The library acknowledges a message to the network before it hands the message over, and a decrypted message
 * cannot be decrypted again: a process that dies, or a socket that drops, in between would lose it for good.
 */
export interface InboundBuffer {
  makeRepository: SocketConfig['makeSignalRepository']
  /** Called with every frame before the library handles it, so that a ciphertext can be assigned to its stanza. */
  arriving(frame: unknown): void
  /** The library has handed them over. */
  handedOver(keys: WAMessageKey[]): void
  /** Sets the listener that is called with the key of a message before it is decrypted. */
  onDecrypting(listener: (key: WAMessageKey) => void): void
  /** Sets the listener for messages that the library has decrypted and not handed over: some it never does. */
  onOverdue(listener: (messages: WAMessage[]) => void): void
  /** These are stored as messages now, so the buffer can forget them. */
  stored(keys: WAMessageKey[]): void
  /** Loads the messages that earlier sockets left over, before this one receives any. */
  load(): Promise<void>
  /** The messages that were decrypted on an earlier socket and never handed over. */
  leftOver(): WAMessage[]
}

export function makeInboundBuffer(
  store: CredentialStore,
  instance: string,
  { creds, keys: stored }: AuthenticationState,
  findStored: FindStored,
  log: Log,
): InboundBuffer {
  const stanzas = new WeakMap<Uint8Array, { attrs: Kept['attrs']; part: number }>()
  /** Decrypted messages by name. */
  const heard = new Map<string, Heard>()
  /** Names of messages that an earlier socket decrypted: the network may send them again after they were stored. */
  const earlier = new Set<string>()
  const awaited = makeAwaited()
  let overdue: (messages: WAMessage[]) => void = () => undefined
  let decrypting: (key: WAMessageKey) => void = () => undefined
  let latestRow = 0
  let forgotten: string[] = []
  const failed = (thrown: unknown) =>
    log.warn({ instance, err: thrown }, 'a message that was kept and never handed over cannot be read')

  const me = (): Me => creds.me ?? { id: '' }
  const keyIn = (attrs: Kept['attrs']) => readEnvelope(attrs, me()).key

  function remember(key: WAMessageKey, row: string): Heard {
    const name = nameOf(key)
    const message: Heard = heard.get(name) ?? { rows: [], parts: new Map() }
    heard.set(name, message)
    message.rows.push(row)
    return message
  }

  /** A new row each time, because an earlier one may be about to be deleted. Rows are read in this order. */
  const nextRow = (messageid: string) => `${messageid} ${String(++latestRow).padStart(15, '0')}`

  function forget(rows: string[]): void {
    if (rows.length === 0) return
    forgotten.push(...rows)
    // A row that is left over, also by a crash, is recognised by its message and deleted after the next start.
    if (forgotten.length === rows.length)
      store
        .forget(instance, KIND, take)
        .catch((thrown) => log.warn({ instance, err: thrown }, 'received messages are not forgotten yet'))
  }

  function take(): string[] {
    const ids = forgotten
    forgotten = []
    return ids
  }

  /** Undefined if no part of the message can be read; it is then deleted. */
  function readBack(name: string): WAMessage | undefined {
    const { rows, parts } = heard.get(name) ?? { rows: [], parts: new Map<number, Kept>() }
    const rebuilt = [...parts.values()]
      .map(({ attrs, plain }) => rebuild(attrs, plain, me(), failed))
      .filter((part) => part !== undefined)
    const message = Object.assign({}, ...rebuilt.map((part) => part.message))
    if (rebuilt[0]) return { ...rebuilt[0], message }
    forget(rows.splice(0))
    if (!earlier.has(name)) heard.delete(name)
    return undefined
  }

  const readAllBack = (names: Iterable<string>): WAMessage[] =>
    [...names].map(readBack).filter((message) => message !== undefined)

  return {
    makeRepository(...parts) {
      const { repository, keys } = makeRatchets(stored, ...parts)

      // Nested transactions are one commit.
      const keeping = async (ciphertext: Uint8Array, device: string, decrypt: () => Promise<Uint8Array>) => {
        const arrived = stanzas.get(ciphertext)
        const key = arrived?.attrs.id === undefined ? undefined : keyIn(arrived.attrs)
        if (key) decrypting(key)
        const decrypted = keys.transaction(async () => {
          const whole = await decrypt()
          const { padded, storable } = boundPlain(whole, key?.fromMe === true)
          if (arrived && key?.id && storable) {
            const row = nextRow(key.id)
            const kept: Kept = { ...arrived, plain: bare(padded) }
            const { parts } = remember(key, row)
            await keys.set({ [KIND]: { [row]: kept } } as SignalDataSet)
            parts.set(arrived.part, kept)
            awaited.decrypted(nameOf(key), Math.min(whole.length, COUNTED_BYTES))
          }
          return padded
        }, device)
        const kept = await decrypted.catch(async (thrown) => {
          const again = arrived && key && (await findRedelivered(key, arrived.part))
          if (!again) throw thrown
          return again
        })
        const tooLong = readAllBack(awaited.takeOverdue())
        if (tooLong.length > 0) overdue(tooLong)
        crashPoint('before-receipt')
        return kept
      }

      /**
       * The network delivers a message without a receipt again, and a message cannot be decrypted twice. The library
       * would ask its sender for it, who begins a session for each: after forty, messages that were sent in the first can no longer be
       * decrypted.
       */
      async function findRedelivered(key: WAMessageKey, part: number) {
        const message = heard.get(nameOf(key))
        if (message) return message.parts.get(part)?.plain
        const encoded = await findStored(instance, key.id ?? '', placeOf(key))
        // An undecryptable message is not stored, so its sender is asked for it.
        return encoded?.length ? writeRandomPadMax16(encoded) : undefined
      }

      return {
        ...repository,
        decryptMessage: (options) =>
          keeping(options.ciphertext, options.jid, () => repository.decryptMessage(options)),
        decryptGroupMessage: (options) =>
          keeping(options.msg, options.group, () => repository.decryptGroupMessage(options)),
      }
    },

    arriving(frame) {
      const { tag, attrs, content } = frame as BinaryNode
      if (tag !== 'message' || !Array.isArray(content)) return
      for (const [part, child] of content.entries()) {
        if (child.tag === 'enc' && child.content instanceof Uint8Array)
          stanzas.set(child.content, { attrs, part })
      }
    },

    handedOver(keys) {
      for (const key of keys) awaited.handedOver(nameOf(key))
    },

    onDecrypting(listener) {
      decrypting = listener
    },

    onOverdue(listener) {
      overdue = listener
    },

    stored(keys) {
      for (const key of keys) {
        const name = nameOf(key)
        forget(heard.get(name)?.rows.splice(0) ?? [])
        if (!earlier.has(name)) heard.delete(name)
      }
    },

    async load() {
      for (const [row, bytes] of await store.all(instance, KIND)) {
        const kept: Kept = JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)
        latestRow = Math.max(latestRow, Number(row.split(' ').at(-1)) || 0)
        try {
          const key = keyIn(kept.attrs)
          const { parts } = remember(key, row)
          earlier.add(nameOf(key))
          parts.set(kept.part ?? parts.size, kept)
        } catch (thrown) {
          failed(thrown)
          forget([row])
        }
      }
    },

    leftOver: () => readAllBack(earlier),
  }
}

/** The message's chat and author, because senders choose their ids. In a chat of two `fromMe` is the author. */
const placeOf = ({ remoteJid, participant, fromMe }: WAMessageKey): MessagePlace => ({
  chats: [inward(remoteJid)],
  author: inward(participant),
  fromMe: fromMe === true,
})

function nameOf(key: WAMessageKey): string {
  const { chats, author, fromMe } = placeOf(key)
  return `${chats} ${author} ${fromMe ? 'me' : ''} ${key.id}`
}

/** Without the Buffer: JSON writes one as a list of numbers first, and 1 MB would block every session for 50 ms. */
const bare = ({ buffer, byteOffset, length }: Uint8Array) => new Uint8Array(buffer, byteOffset, length)
