// Messages between the network's "they have it" and our own disk: kept by the very commit that advances the ratchet.

import {
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
  writeRandomPadMax16,
} from 'baileys'
import { crashPoint } from '../../../crash.ts'
import type { Log } from '../../../log.ts'
import type { CredentialStore } from '../../../store/credentials.ts'
import type { FindStored } from '../../driver.ts'
import { inward } from '../ids.ts'
import { makeRatchets } from '../keys/ratchets.ts'
import type { Me } from './inbound.ts'
import { cutOversized } from './oversized.ts'

/** Beside the library's kinds of keys. */
const KIND = 'received'
interface Kept {
  attrs: Record<string, string>
  plain: Uint8Array
}

/**
 * The library tells the network that a message has arrived before it hands the message over, and what has been decrypted
 * once cannot be decrypted again: a process that dies, or a socket that drops, in between would lose it for good.
 */
export interface InboundBuffer {
  makeRepository: SocketConfig['makeSignalRepository']
  /** Every frame, before the library works on it: what is about to be decrypted is known by its stanza. */
  arriving(frame: unknown): void
  /** They are on our disk in their own right. */
  stored(messageids: string[]): void
  /** Finds what earlier sockets have left over, before this one brings anything. */
  load(): Promise<void>
  /** What was decrypted on an earlier socket and never handed over. */
  leftOver(me: Me): WAMessage[]
}

export function makeInboundBuffer(
  store: CredentialStore,
  instance: string,
  stored: SignalKeyStore,
  findStored: FindStored,
  log: Log,
): InboundBuffer {
  const stanzas = new WeakMap<Uint8Array, Record<string, string>>()
  const rows = new Map<string, string[]>()
  /** By the id of their message, in the order of its parts. */
  const earlier = new Map<string, { parts: Kept[]; answered: number }>()
  /** What this socket decrypted and is on its way to the disk, likewise. */
  const underway = new Map<string, { parts: Kept[]; answered: number }>()
  let forgotten: string[] = []
  const failed = (thrown: unknown) =>
    log.warn({ instance, err: thrown }, 'a message left over from an earlier connection cannot be read')

  const remember = (messageid: string, row: string) =>
    rows.set(messageid, [...(rows.get(messageid) ?? []), row])

  function take(): string[] {
    const ids = forgotten
    forgotten = []
    return ids
  }

  return {
    makeRepository(...parts) {
      const { repository, keys } = makeRatchets(stored, ...parts)

      // Transactions inside one another are one commit.
      const keeping = async (ciphertext: Uint8Array, key: string, decrypt: () => Promise<Uint8Array>) => {
        const attrs = stanzas.get(ciphertext)
        // The network brings again what it has no receipt for.
        const known = earlier.get(attrs?.id ?? '')
        const part = known?.parts[known.answered++]
        if (part) return part.plain
        const decrypted = keys.transaction(async () => {
          const plain = cutOversized(await decrypt())
          if (attrs?.id) {
            const row = `${attrs.id} ${rows.get(attrs.id)?.length ?? 0}`
            remember(attrs.id, row)
            const kept: Kept = { attrs, plain: bare(plain) }
            await keys.set({ [KIND]: { [row]: kept } } as SignalDataSet)
            const { parts } = underway.get(attrs.id) ?? { parts: [] }
            underway.set(attrs.id, { parts: [...parts, kept], answered: 0 })
          }
          return plain
        }, key)
        const kept = await decrypted.catch(async (thrown) => {
          const again = attrs && (await storedEarlier(attrs))
          if (!again) throw thrown
          return again
        })
        crashPoint('before-receipt')
        return kept
      }

      /**
       * What has been decrypted once cannot be decrypted again. The library would ask its sender for it, who begins a session for
       * each: forty of them, and what is on its way in the first cannot be read any more.
       */
      async function storedEarlier(attrs: Record<string, string>) {
        const { id = '', from, participant, recipient } = attrs
        const mine = underway.get(id)
        const part = mine?.parts[mine.answered++ % mine.parts.length]
        // Others choose their ids as they like.
        if (part) return isSamePlace(part.attrs, attrs) ? part.plain : undefined
        const place = { chat: inward(recipient ?? from), author: inward(participant) }
        const message = await findStored(instance, id, place)
        // Of what nobody could read nothing is stored: its sender is asked.
        return message?.length ? writeRandomPadMax16(message) : undefined
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
      for (const child of content) {
        if (child.tag === 'enc' && child.content instanceof Uint8Array) stanzas.set(child.content, attrs)
      }
    },

    stored(messageids) {
      const done = messageids.flatMap((id) => rows.get(id) ?? [])
      for (const id of messageids) {
        rows.delete(id)
        underway.delete(id)
      }
      if (done.length === 0) return
      forgotten.push(...done)
      // One that is left over, by a crash too, is recognised by its messageid and forgotten after the next start.
      if (forgotten.length === done.length)
        store
          .forget(instance, KIND, take)
          .catch((thrown) => log.warn({ instance, err: thrown }, 'received messages are not forgotten yet'))
    },

    async load() {
      for (const [row, bytes] of await store.all(instance, KIND)) {
        const kept: Kept = JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)
        const { id = '' } = kept.attrs
        remember(id, row)
        const { parts } = earlier.get(id) ?? { parts: [] }
        earlier.set(id, { parts: [...parts, kept], answered: 0 })
      }
    },

    leftOver(me) {
      const messages: WAMessage[] = []
      for (const [id, { parts }] of earlier) {
        const rebuilt = parts
          .map(({ attrs, plain }) => rebuild(attrs, plain, me, failed))
          .filter((part) => part !== undefined)
        // A group's first message comes in two parts: the sender's key and the text.
        const message = Object.assign({}, ...rebuilt.map((part) => part.message))
        if (rebuilt[0]) messages.push({ ...rebuilt[0], message })
        else this.stored([id])
      }
      return messages
    },
  }
}

const isSamePlace = (one: Kept['attrs'], other: Kept['attrs']): boolean =>
  (['from', 'participant', 'recipient'] as const).every((name) => one[name] === other[name])

/** A Buffer becomes a list of numbers before it is written as JSON: 1 MB would hold up every session for 50 ms. */
const bare = ({ buffer, byteOffset, length }: Uint8Array) => new Uint8Array(buffer, byteOffset, length)

/** Undefined for what decrypts and is still no message. */
function rebuild(
  attrs: Kept['attrs'],
  plain: Uint8Array,
  me: Me,
  failed: (thrown: unknown) => void,
): WAMessage | undefined {
  try {
    const { fullMessage } = decodeMessageNode({ tag: 'message', attrs }, me.id, me.lid ?? '')
    const decoded = proto.Message.decode(unpadRandomMax16(plain))
    const message = { ...fullMessage, message: decoded.deviceSentMessage?.message ?? decoded } as WAMessage
    cleanMessage(message, me.id, me.lid ?? '')
    return message
  } catch (thrown) {
    failed(thrown)
    return undefined
  }
}
