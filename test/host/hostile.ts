// Messages that a hostile sender may make, as bytes: many tiny parts, deep nesting, votes with the key of their poll.

import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

type Bytes = Uint8Array

export function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** A field that has a length: a text, bytes, or a message. */
export const encodeField = (number: number, content: Bytes | string): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([encodeVarint(number * 8 + 2), encodeVarint(bytes.length), bytes])
}

/** The numbers of the fields of a message, as the network has them. */
const SENDER_KEY = 2
const CONTACTS = 13
const EXTENDED_TEXT = 6
const EPHEMERAL = 40
const POLL = 49
const VOTE = 50
const CONTEXT = 35
/** The newest version of a poll, which the library's types do not have. */
const POLL_V6 = 119

/** `parts` contacts, each without anything in it: two bytes. */
export const encodeContactsMessage = (parts: number): Buffer =>
  encodeField(CONTACTS, Buffer.alloc(parts * 2, encodeField(2, '')))

/** A text that mentions `parts` people without a name. */
export const encodeMentionsMessage = (parts: number): Buffer => {
  const context = Buffer.alloc(parts * 2, encodeField(15, ''))
  return encodeField(EXTENDED_TEXT, Buffer.concat([encodeField(1, 'look'), encodeField(17, context)]))
}

/** A poll whose options are numbers. */
function encodePoll(options: number, text = (n: number) => String(n)): Buffer {
  const encodeOption = (name: string) => encodeField(3, name === '' ? '' : encodeField(1, name))
  const all = Array.from({ length: options }, (_, n) => encodeOption(text(n)))
  return Buffer.concat([encodeField(2, 'Which one?'), ...all])
}

export const encodePollMessage = (options: number, secret: Bytes, text?: (n: number) => string): Buffer =>
  Buffer.concat([encodeField(POLL, encodePoll(options, text)), encodeField(CONTEXT, encodeField(3, secret))])

export const encodeNewestPollMessage = (options: number): Buffer => encodeField(POLL_V6, encodePoll(options))

export const encodeEmptyOptionsMessage = (options: number): Buffer =>
  encodeField(POLL, Buffer.alloc(options * 2, encodeField(3, '')))

/** A key of any group, whose parts have this many bytes each. */
export function encodeSenderKeyMessage(bytes: number): Buffer {
  const part = Buffer.alloc(bytes, 7)
  const key = Buffer.concat([Buffer.from([0x33]), encodeField(3, part), encodeField(4, part)])
  const named = Buffer.concat([encodeField(1, '120363000000000001@g.us'), encodeField(2, key)])
  return Buffer.concat([encodeField(1, 'with a key'), encodeField(SENDER_KEY, named)])
}

/** A text in `depth` wrappers, one in the other. */
export function encodeNestedMessage(depth: number): Buffer {
  let lengths: Buffer[] = []
  let size = 0
  const inner = encodeField(1, 'deep')
  size = inner.length
  for (let level = 0; level < depth; level++) {
    const message = Buffer.concat([encodeVarint(1 * 8 + 2), encodeVarint(size)])
    size += message.length
    const wrapper = Buffer.concat([encodeVarint(EPHEMERAL * 8 + 2), encodeVarint(size)])
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
export function encodeVoteMessage({ secret, id, creator }: PollKey, voter: string, options: Bytes[]): Buffer {
  const seed = createHmac('sha256', Buffer.alloc(32)).update(secret).digest()
  const info = Buffer.concat([Buffer.from(`${id}${creator}${voter}Poll Vote`), Buffer.from([1])])
  const key = createHmac('sha256', seed).update(info).digest()
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(`${id}\0${voter}`))
  const plain = Buffer.concat(options.map((option) => encodeField(1, option)))
  const payload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  const poll = Buffer.concat([encodeField(1, creator), Buffer.from([0x10, 0]), encodeField(3, id)])
  return encodeField(
    VOTE,
    Buffer.concat([
      encodeField(1, poll),
      encodeField(2, Buffer.concat([encodeField(1, payload), encodeField(2, iv)])),
    ]),
  )
}

export const digestText = (option: string): Buffer => createHash('sha256').update(option).digest()
