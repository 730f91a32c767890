// Messages that a hostile sender may make, as bytes: many tiny parts, deep nesting, votes with the key of their poll.

import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

type Bytes = Uint8Array

export function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** A field that has a length: a text, bytes, or a message. */
export const field = (number: number, content: Bytes | string): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

/** The numbers of the fields of a message, as the network has them. */
const CONTACTS = 13
const EXTENDED_TEXT = 6
const EPHEMERAL = 40
const POLL = 49
const VOTE = 50
const CONTEXT = 35

/** `parts` contacts, each without anything in it: two bytes. */
export const contactsMessage = (parts: number): Buffer =>
  field(CONTACTS, Buffer.alloc(parts * 2, field(2, '')))

/** A text that mentions `parts` people without a name. */
export const mentionsMessage = (parts: number): Buffer => {
  const context = Buffer.alloc(parts * 2, field(15, ''))
  return field(EXTENDED_TEXT, Buffer.concat([field(1, 'look'), field(17, context)]))
}

/** A poll whose options are numbers. */
export function pollMessage(options: number, secret: Bytes, text = (n: number) => String(n)): Buffer {
  const option = (name: string) => field(3, name === '' ? '' : field(1, name))
  const all = Array.from({ length: options }, (_, n) => option(text(n)))
  return Buffer.concat([
    field(POLL, Buffer.concat([field(2, 'Which one?'), ...all])),
    field(CONTEXT, field(3, secret)),
  ])
}

export const emptyOptionsMessage = (options: number): Buffer =>
  field(POLL, Buffer.alloc(options * 2, field(3, '')))

/** A text in `depth` wrappers, one in the other. */
export function nestedMessage(depth: number): Buffer {
  let lengths: Buffer[] = []
  let size = 0
  const inner = field(1, 'deep')
  size = inner.length
  for (let level = 0; level < depth; level++) {
    const message = Buffer.concat([varint(1 * 8 + 2), varint(size)])
    size += message.length
    const wrapper = Buffer.concat([varint(EPHEMERAL * 8 + 2), varint(size)])
    size += wrapper.length
    lengths.push(message, wrapper)
  }
  lengths = lengths.reverse()
  return Buffer.concat([...lengths, inner])
}

export interface PollKey {
  secret: Bytes
  id: string
  creator: string
}

/** A vote for these options, both people in the network's spelling. */
export function voteMessage({ secret, id, creator }: PollKey, voter: string, options: Bytes[]): Buffer {
  const seed = createHmac('sha256', Buffer.alloc(32)).update(secret).digest()
  const info = Buffer.concat([Buffer.from(`${id}${creator}${voter}Poll Vote`), Buffer.from([1])])
  const key = createHmac('sha256', seed).update(info).digest()
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(`${id}\0${voter}`))
  const plain = Buffer.concat(options.map((option) => field(1, option)))
  const payload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  const poll = Buffer.concat([field(1, creator), Buffer.from([0x10, 0]), field(3, id)])
  return field(
    VOTE,
    Buffer.concat([field(1, poll), field(2, Buffer.concat([field(1, payload), field(2, iv)]))]),
  )
}

export const digestText = (option: string): Buffer => createHash('sha256').update(option).digest()
