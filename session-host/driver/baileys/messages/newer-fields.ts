// Fields of messages that are newer than the library's types: they are kept with the decoded message, by their number.

import { proto } from 'baileys'
import { BoundedReader, MESSAGE_LIMITS, PART_LIMITS } from './bounded-reader.ts'

/** `form`: what is in it. Without one its reader is in `kinds/newer-kinds.ts`, or it is reported as unsupported. */
interface KnownField {
  name: string
  form?: 'wrapper' | 'protocol'
}

/** By number. The network's own clients have them. */
const KNOWN_FIELDS: Record<number, KnownField> = {
  116: { name: 'newsletterAdminProfileMessage', form: 'wrapper' },
  117: { name: 'newsletterAdminProfileMessageV2', form: 'wrapper' },
  118: { name: 'spoilerMessage', form: 'wrapper' },
  119: { name: 'pollCreationMessageV6' },
  120: { name: 'conditionalRevealMessage' },
  121: { name: 'pollAddOptionMessage' },
  122: { name: 'eventInviteMessage' },
  123: { name: 'groupRootKeyShare', form: 'protocol' },
  124: { name: 'paymentReminderMessage' },
  125: { name: 'splitPaymentMessage' },
  126: { name: 'newsletterAdminProfileStatusMessage', form: 'wrapper' },
  127: { name: 'rootSecretDistributeMessage', form: 'protocol' },
  128: { name: 'splitPaymentUpdateMessage' },
  129: { name: 'musicMessage' },
  130: { name: 'statusLinkPreviewMetadata', form: 'protocol' },
  131: { name: 'botPlatformRegistrationSuccessMessage', form: 'wrapper' },
}

/** Fields that stand beside what a message says: keys of groups, and what belongs to it. */
const ENVELOPE_NUMBERS = [2, 15, 35]
/** The wire type of fields that have a length. */
const BYTES = 2
const INNER_MESSAGE = 1
/** The library has the number before. */
const POLL_RESULTS = 115
const POLL_V6 = 119

const NEWER = Symbol('newer field')
type Marked = proto.IMessage & { [NEWER]?: NewerField }

export class NewerField {
  readonly number: number
  readonly bytes: Uint8Array
  #message: proto.IMessage | undefined

  constructor(number: number, bytes: Uint8Array) {
    this.number = number
    this.bytes = bytes
  }

  /** Empty if no client is known that has it. */
  get name(): string {
    return KNOWN_FIELDS[this.number]?.name ?? ''
  }

  get isWrapper(): boolean {
    return KNOWN_FIELDS[this.number]?.form === 'wrapper'
  }

  get isProtocol(): boolean {
    return KNOWN_FIELDS[this.number]?.form === 'protocol'
  }

  /** What a wrapper holds. Decoded when it is asked for: wrappers may be in wrappers, as deep as their sender likes. */
  get message(): proto.IMessage | undefined {
    this.#message ??= this.#decodeInner()
    return this.#message
  }

  #decodeInner(): proto.IMessage | undefined {
    try {
      const inner = readParts(this.bytes).getBytes(INNER_MESSAGE)
      return inner && proto.Message.decode(inner)
    } catch {
      // Its sender wrote something else.
      return undefined
    }
  }
}

export const findNewerField = (message: proto.IMessage): NewerField | undefined => (message as Marked)[NEWER]

/** Keeps the field that the library has dropped. `reader`: at the end of the message, which began at `start`. */
export function retainNewerField(message: proto.IMessage, reader: BoundedReader, start: number): void {
  const end = reader.pos
  const field = readNewerField(reader, start, end)
  reader.pos = end
  if (!field) return
  const { PollResultSnapshotMessage, PollCreationMessage } = proto.Message
  const results = field.number === POLL_RESULTS ? decodeWithin(PollResultSnapshotMessage, field) : undefined
  if (results) message.pollResultSnapshotMessageV3 = results
  else (message as Marked)[NEWER] = field
  // It has the fields of the version before, and some that its reader takes from the bytes.
  const poll = field.number === POLL_V6 ? decodeWithin(PollCreationMessage, field) : undefined
  if (poll) message.pollCreationMessageV5 = poll
}

/** Within the limits of a message; undefined for bytes that hold more, or something else: then the field is unsupported. */
function decodeWithin<Decoded>(
  type: { decode(reader: never): Decoded },
  { bytes }: NewerField,
): Decoded | undefined {
  try {
    return type.decode(new BoundedReader(bytes, MESSAGE_LIMITS) as never)
  } catch {
    return undefined
  }
}

/** The field as it is written again; undefined if the message has it in the library's own form. */
export const findUnwrittenField = (message: proto.IMessage): NewerField | undefined => {
  const field = findNewerField(message)
  return message.pollCreationMessageV5 ? undefined : field
}

function readNewerField(reader: BoundedReader, start: number, end: number): NewerField | undefined {
  reader.pos = start
  let found: NewerField | undefined
  while (reader.pos < end) {
    const tag = reader.uint32()
    const number = tag >>> 3
    const isNewer = !ENVELOPE_NUMBERS.includes(number) && (tag & 7) === BYTES
    if (isNewer && !found) found = new NewerField(number, Uint8Array.from(reader.bytes()))
    else reader.skipType(tag & 7)
  }
  return found
}

/** The fields of a message without a type: the last value of each. */
export interface Parts {
  getNumber(field: number): number
  getText(field: number): string
  getBytes(field: number): Uint8Array | undefined
  /** All values of a repeated field. */
  listBytes(field: number): Uint8Array[]
}

const MAX_REPEATED = 1024

/** Throws for bytes that are no message, or that have more in them than `limits` allow. */
export function readParts(bytes: Uint8Array, limits = PART_LIMITS): Parts {
  const reader = new BoundedReader(bytes, limits)
  const values = new Map<number, number>()
  const parts = new Map<number, Uint8Array[]>()
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    const field = tag >>> 3
    if ((tag & 7) === BYTES) {
      const all = parts.get(field) ?? []
      parts.set(field, all)
      const value = reader.bytes()
      if (all.length < MAX_REPEATED) all.push(value)
    } else if ((tag & 7) === 0) values.set(field, readVarint(reader))
    else reader.skipType(tag & 7)
  }
  const getBytes = (field: number) => parts.get(field)?.at(-1)
  return {
    getNumber: (field) => values.get(field) ?? 0,
    getText: (field) => Buffer.from(getBytes(field) ?? []).toString('utf8'),
    getBytes,
    listBytes: (field) => parts.get(field) ?? [],
  }
}

/** Times in milliseconds do not fit into 32 bits. */
function readVarint(reader: BoundedReader): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.buf[reader.pos++] ?? 0
    value += (byte & 127) * scale
    if (byte < 128 || reader.pos >= reader.len) return value
  }
}
