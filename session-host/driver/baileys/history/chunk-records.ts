// Reads the records that the gateway uses from a chunk of history, while it streams. Messages are skipped: chunk-messages.ts reads them.

import { ByteStream, type Reading } from './byte-stream.ts'

export interface PairRecord {
  kind: 'pair'
  pn: string
  lid: string
}

export interface ChatRecord {
  kind: 'chat'
  id: string
  name: string
  pn: string
  lid: string
  username: string
  /** The token that the person sent this account; empty if the chunk has none. */
  token: Buffer
  /** Seconds since the epoch, 0 for none: when it was received, and when this account sent one. */
  tokenAt: number
  tokenSentAt: number
  /** Seconds after which its messages disappear; and when that was set, in seconds since the epoch, 0 where it never was. */
  timer: number
  timerSetAt: number
}

export interface PushNameRecord {
  kind: 'push_name'
  id: string
  name: string
}

export type HistoryRecord = PairRecord | ChatRecord | PushNameRecord

/** By their numbers in the network's `HistorySync` and what it contains. */
export const CHATS = 2
const PUSH_NAMES = 7
const PAIRS = 15
const CHAT = {
  id: 1,
  name: 13,
  displayName: 38,
  pn: 39,
  lid: 42,
  accountLid: 49,
  token: 21,
  tokenAt: 22,
  tokenSentAt: 28,
  timer: 9,
  timerSetAt: 10,
  username: 43,
} as const
const PUSH_NAME = { id: 1, name: 2 } as const
const PAIR = { pn: 1, lid: 2 } as const

/** Of a chunk. The largest history of a phone has some 100,000 messages, each of which is one field. */
const MAX_FIELDS = 1_000_000
const MAX_RECORDS = 50_000
/** Names, ids and tokens are much shorter; a longer value is skipped. */
const MAX_VALUE_BYTES = 4096

const VARINT = 0
const FIXED_64 = 1
export const BYTES = 2
const FIXED_32 = 5

type Values<Names extends Record<string, number>> = Partial<Record<keyof Names, Buffer | number>>

/** Throws when the chunk is damaged, or has more in it than a phone sends. */
export function readHistoryRecords(source: AsyncIterable<Buffer>): Promise<HistoryRecord[]> {
  const stream = new ByteStream()
  return stream.run(source, readChunk(stream))
}

function* readChunk(stream: ByteStream): Reading<HistoryRecord[]> {
  const records: HistoryRecord[] = []
  const countField = createFieldCounter()
  while (!(yield* stream.hasEnded())) {
    countField()
    const { number, type } = yield* readTag(stream)
    if (type !== BYTES || ![CHATS, PUSH_NAMES, PAIRS].includes(number)) {
      yield* skipValue(stream, type)
      continue
    }
    const end = (yield* stream.readVarint()) + stream.position
    const record = yield* readRecord(stream, number, end, countField)
    if (record) records.push(record)
    if (records.length > MAX_RECORDS) throw new Error('the chunk has too many records')
  }
  return records
}

function* readRecord(
  stream: ByteStream,
  number: number,
  end: number,
  countField: () => void,
): Reading<HistoryRecord | undefined> {
  if (number === PAIRS) {
    const found = yield* readValues(stream, end, PAIR, countField)
    const [pn, lid] = [toText(found.pn), toText(found.lid)]
    return pn && lid ? { kind: 'pair', pn, lid } : undefined
  }
  if (number === PUSH_NAMES) {
    const found = yield* readValues(stream, end, PUSH_NAME, countField)
    const [id, name] = [toText(found.id), toText(found.name)]
    return id && name ? { kind: 'push_name', id, name } : undefined
  }
  const found = yield* readValues(stream, end, CHAT, countField)
  return {
    kind: 'chat',
    id: toText(found.id),
    name: toText(found.displayName) || toText(found.name),
    pn: toText(found.pn),
    lid: toText(found.lid) || toText(found.accountLid),
    username: toText(found.username),
    token: found.token instanceof Buffer ? found.token : Buffer.alloc(0),
    tokenAt: toNumber(found.tokenAt),
    tokenSentAt: toNumber(found.tokenSentAt),
    timer: toNumber(found.timer),
    timerSetAt: toNumber(found.timerSetAt),
  }
}

function* readValues<Names extends Record<string, number>>(
  stream: ByteStream,
  end: number,
  names: Names,
  countField: () => void,
): Reading<Values<Names>> {
  const namesByNumber = new Map(Object.entries(names).map(([name, number]) => [number, name as keyof Names]))
  const found: Values<Names> = {}
  while (stream.position < end) {
    countField()
    const { number, type } = yield* readTag(stream)
    const name = namesByNumber.get(number)
    if (name === undefined || (type !== VARINT && type !== BYTES)) yield* skipValue(stream, type)
    else if (type === VARINT) found[name] = yield* stream.readVarint()
    else {
      const length = yield* stream.readVarint()
      if (length > MAX_VALUE_BYTES) yield* stream.skip(length)
      else found[name] = yield* stream.read(length)
    }
  }
  if (stream.position !== end) throw new Error('a record is longer than it says')
  return found
}

export function* readTag(stream: ByteStream): Reading<{ number: number; type: number }> {
  const tag = yield* stream.readVarint()
  return { number: Math.floor(tag / 8), type: tag % 8 }
}

export function* skipValue(stream: ByteStream, type: number): Reading<void> {
  if (type === VARINT) yield* stream.readVarint()
  else if (type === BYTES) yield* stream.skip(yield* stream.readVarint())
  else if (type === FIXED_64) yield* stream.skip(8)
  else if (type === FIXED_32) yield* stream.skip(4)
  else throw new Error('a field of an unknown form')
}

export function createFieldCounter(): () => void {
  let fields = 0
  return () => {
    fields += 1
    if (fields > MAX_FIELDS) throw new Error('the chunk has too many fields')
  }
}

const toText = (value: Buffer | number | undefined): string =>
  value instanceof Buffer ? value.toString('utf8') : ''

const toNumber = (value: Buffer | number | undefined): number => (typeof value === 'number' ? value : 0)
