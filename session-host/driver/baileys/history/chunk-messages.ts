// Reads the messages of a history while it streams: a few are in memory at a time, and the next wait for these.

import { proto } from 'baileys'
import { BoundedReader, MESSAGE_LIMITS } from '../messages/bounded-reader.ts'
import { MAX_MESSAGE_BYTES } from '../messages/oversized.ts'
import { ByteStream, type Reading } from './byte-stream.ts'
import { BYTES, CHATS, createFieldCounter, readTag, skipValue } from './chunk-records.ts'

const MESSAGES = 2
/** Of what a member shares: messages, and older ones that are pinned. */
const SHARED = [1, 4]
/** Given to `onMessages` at once, so that a store is busy with them for a few milliseconds only. */
const MAX_MESSAGES = 50

/** `order`: its place in its chat; 0 where the phone does not say it. */
export interface ChunkMessage {
  info: proto.IWebMessageInfo
  order: number
}

interface Progress {
  /** Messages that are too large, have too many parts, or cannot be read. */
  skipped: number
}

type OnMessages = (messages: ChunkMessage[]) => Promise<void>

/** `onMessages`: called with the next messages in the order of the chunk; the one after them is read when it has resolved. */
export const readHistoryMessages = (
  source: AsyncIterable<Buffer>,
  onMessages: OnMessages,
): Promise<Progress> => readMessages(source, onMessages, { readAll: readChunk, decode: decodeMessage })

/** The same of a history that a member of a group shares. */
export const readSharedMessages = (
  source: AsyncIterable<Buffer>,
  onMessages: OnMessages,
): Promise<Progress> => readMessages(source, onMessages, { readAll: readShared, decode: decodeShared })

interface Form {
  readAll(stream: ByteStream, found: Buffer[], progress: Progress): Reading<void>
  /** Undefined for bytes that are no message, or one of too many parts. */
  decode(bytes: Buffer): ChunkMessage | undefined
}

async function readMessages(
  source: AsyncIterable<Buffer>,
  onMessages: OnMessages,
  { readAll, decode }: Form,
): Promise<Progress> {
  const stream = new ByteStream()
  const progress = { skipped: 0 }
  const waiting: Buffer[] = []
  await stream.run(source, readAll(stream, waiting, progress), async () => {
    while (waiting.length > 0) {
      const some = waiting.splice(0, MAX_MESSAGES).map(decode)
      const messages = some.filter((one) => one !== undefined)
      progress.skipped += some.length - messages.length
      await onMessages(messages)
    }
  })
  return progress
}

function* readChunk(stream: ByteStream, found: Buffer[], progress: Progress): Reading<void> {
  const countField = createFieldCounter()
  while (!(yield* stream.hasEnded())) {
    countField()
    const { number, type } = yield* readTag(stream)
    if (type !== BYTES || number !== CHATS) {
      yield* skipValue(stream, type)
      continue
    }
    const end = (yield* stream.readVarint()) + stream.position
    while (stream.position < end) {
      countField()
      const field = yield* readTag(stream)
      if (field.type !== BYTES || field.number !== MESSAGES) {
        yield* skipValue(stream, field.type)
        continue
      }
      yield* readMessage(stream, found, progress)
    }
  }
}

function* readShared(stream: ByteStream, found: Buffer[], progress: Progress): Reading<void> {
  const countField = createFieldCounter()
  while (!(yield* stream.hasEnded())) {
    countField()
    const { number, type } = yield* readTag(stream)
    if (type === BYTES && SHARED.includes(number)) yield* readMessage(stream, found, progress)
    else yield* skipValue(stream, type)
  }
}

function* readMessage(stream: ByteStream, found: Buffer[], progress: Progress): Reading<void> {
  const length = yield* stream.readVarint()
  if (length <= MAX_MESSAGE_BYTES) found.push(yield* stream.read(length))
  else {
    progress.skipped += 1
    yield* stream.skip(length)
  }
}

function decodeShared(bytes: Buffer): ChunkMessage | undefined {
  try {
    const reader = new BoundedReader(bytes, MESSAGE_LIMITS)
    return { info: proto.WebMessageInfo.decode(reader as never), order: 0 }
  } catch {
    return undefined
  }
}

function decodeMessage(bytes: Buffer): ChunkMessage | undefined {
  try {
    const reader = new BoundedReader(bytes, MESSAGE_LIMITS)
    const { message: info, msgOrderId } = proto.HistorySyncMsg.decode(reader as never)
    return info ? { info, order: Number(msgOrderId ?? 0) } : undefined
  } catch {
    return undefined
  }
}
