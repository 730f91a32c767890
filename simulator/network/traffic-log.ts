// The log of the network: all it received, in order.
import type { AddressForm } from '../store/message-table.ts'

/** `form`: how its destination was addressed. */
type LogEvent =
  | { what: 'logout' | 'closed' }
  /** `routing`: the routing information with which the client opened the stream, in base64. */
  | { what: 'login'; routing?: string }
  /** `tags`: the names by which a fault can select it. `attrs`: the attributes of its first child. */
  | { what: 'iq'; xmlns: string; type: string; child: string; tags: string[]; attrs: Record<string, string> }
  /** `edit`: its mark on a message that changes another one. */
  | { what: 'message'; id: string; to: string; form: AddressForm; peerRecipientPn?: string; edit?: string }
  | { what: 'receipt'; ids: string[]; type: string; form?: AddressForm | undefined }
  /** A hosted device was sent a message. */
  | { what: 'hosted'; id: string; readable: boolean }
  | { what: 'retry'; id: string; count: number }
  /** `from` if the client named itself, which new clients do not. */
  | { what: 'chatstate'; to: string; form: AddressForm; state: string; from?: string }
  /** `vouched`: a subscription with a valid token. */
  | { what: 'presence'; state: string; to?: string; vouched?: boolean }
  | { what: 'call'; did: string; callId: string; form?: AddressForm | undefined }
  /** Why the assertion of a passkey was not accepted; empty if it was. */
  | { what: 'passkey'; refused: string }

/** The sender: `number` is null for a candidate that is not linked yet. */
export type DeviceId = { number: string | null; device: number | null }

/** `at` is in milliseconds. */
export type LogEntry = DeviceId & LogEvent & { at: number }

/** A receipt that an account's companion sent; `chat` is in the neutral spelling. */
export type ReceiptEntry = { number: string; device: number; ids: string[]; chat: string; type: string }

const MAX_ENTRIES = 50_000

type Numbered<T> = T & { seq: number }

/** Stores the newest entries, and numbers all entries that it ever had. */
class RingBuffer<T extends object> {
  readonly #size: number
  #entries: Numbered<T>[] = []
  #seq = 0

  constructor(size: number) {
    this.#size = size
  }

  add(entry: T) {
    this.#seq += 1
    this.#entries.push({ seq: this.#seq, ...entry })
    // Cutting in halves costs less than shifting an array of this size for each entry.
    if (this.#entries.length > this.#size * 2) this.#entries = this.#entries.slice(-this.#size)
  }

  list(): Numbered<T>[] {
    return this.#entries.slice(-this.#size)
  }

  clear() {
    this.#entries = []
  }
}

export class Log {
  readonly entries = new RingBuffer<LogEntry>(MAX_ENTRIES)
  readonly receipts = new RingBuffer<ReceiptEntry>(MAX_ENTRIES)
  /** Stanzas that this simulator does not know: it lacks them, or the client sent nonsense. */
  readonly unknown = new RingBuffer<{ at: number; number: string | null; stanza: unknown }>(1_000)

  addEntry(device: DeviceId, event: LogEvent) {
    this.entries.add({ at: Date.now(), ...device, ...event })
  }

  clear() {
    this.entries.clear()
    this.receipts.clear()
    this.unknown.clear()
  }
}
