// The words of messages, indexed in small batches after the messages are stored, and found by a search.

import type { InValue } from '@libsql/client'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import type { Log } from '../process/host-log.ts'
import type { StoreReader } from './heavy-reads.ts'
import { type Store, statement } from './host-store.ts'
import { buildChoiceCondition, type ChatChoice } from './match-choice.ts'
import type { OrderPlace } from './message-store.ts'
import { countPageRows } from './page-bytes.ts'
import { buildSeparation, hasEmoji, separateSigns } from './unspaced-words.ts'

/** Messages of one commit. Fewer at a time write more of the index anew for each. */
const BATCH = 60
/** Characters of a text. A stranger could fill the index with longer ones. */
const MAX_TEXT = 4096
/** Pages of the index that a batch merges: the library's own merges take up to 60 ms at a time. */
const MERGED_PAGES = 16
/** A search waits for so many batches. While more is missing, it answers from what is indexed. */
const MAX_AWAITED = 5
/** Milliseconds. `pause`: after each batch, at least. */
const INTERVALS = { check: 5 * SECOND, pause: 25 }
/** A pause is so many times as long as the batch before it took: thousands wait during a history, and its sessions' neighbours come first. */
const PAUSE_SHARE = 9

/** The rows are in the order of the times: a second has 22 bits for the row of the message. */
const SECOND_BITS = 4_194_304
/** Seconds; the network is not older. */
const EARLIEST = 1_230_768_000
const WORD_ROW = `(at / 1000 - ${EARLIEST}) * ${SECOND_BITS} + rowid % ${SECOND_BITS}`

/** The account and the chat are words of the message too, so that a search reads nothing of others. */
const INSTANCE_WORD = `'i' || replace(instance, '-', '')`
const CHAT_WORD = `'c' || replace(instance, '-', '') || 'x' || replace(replace(replace(chatid, '@', 'x'), '.', 'x'), '-', 'x')`
/** A NUL ends a text for SQLite: in JSON it is an escape, beside that of a backslash, which is written in its other form first. */
const READABLE = String.raw`iif(instr(record, '\u0000'), replace(replace(record, '\\', '\u005c'), '\u0000', ' '), record)`
const TEXTS = [
  `substr(json_extract(${READABLE}, '$.text'), 1, ${MAX_TEXT})`,
  `coalesce(json_extract(${READABLE}, '$.content.fileName'), '')`,
]
const WORDS = [INSTANCE_WORD, CHAT_WORD, ...TEXTS.map(buildSeparation)].join(" || ' ' || ")
const createInstanceWord = (instance: string) => `i${instance.replaceAll('-', '')}`
const createChatWord = (instance: string, chatid: string) =>
  `c${instance.replaceAll('-', '')}x${chatid.replace(/[@.-]/g, 'x')}`

const ADD = `INSERT OR REPLACE INTO message_words (rowid, words) SELECT ${WORD_ROW}, ${WORDS} FROM messages WHERE NOT change`
const NEXT = `SELECT rowid FROM messages WHERE rowid > (SELECT row FROM indexed_words) ORDER BY rowid LIMIT ${BATCH}`
const LAST = `coalesce((SELECT max(rowid) FROM (${NEXT})), row)`
const CHANGED = `SELECT row FROM changed_words ORDER BY row LIMIT ${BATCH}`
const DELETED = `SELECT word_row FROM deleted_words ORDER BY word_row LIMIT ${BATCH}`
// What was deleted comes first: a new message may have the row of a deleted one.
const FOLLOW = [
  `DELETE FROM message_words WHERE rowid IN (${DELETED})`,
  `DELETE FROM deleted_words WHERE word_row IN (${DELETED})`,
  `${ADD} AND rowid IN (${CHANGED})`,
  `DELETE FROM changed_words WHERE row IN (${CHANGED})`,
]
const INDEX = [
  `${ADD} AND rowid IN (${NEXT})`,
  `UPDATE indexed_words SET row = ${LAST}`,
  `INSERT INTO message_words (message_words, rank) VALUES ('merge', ${MERGED_PAGES})`,
]
const READ_WAITING = `SELECT coalesce((SELECT max(rowid) FROM messages), 0) - row AS waiting,
  EXISTS (SELECT 1 FROM changed_words) OR EXISTS (SELECT 1 FROM deleted_words) AS followed FROM indexed_words`

interface Waiting {
  /** Messages that are not indexed, at most: of some rows there are none. */
  messages: number
  /** Others have changed since. */
  hasChanges: boolean
}

async function readWaiting(store: Pick<Store, 'rows'>): Promise<Waiting> {
  const [row] = await store.rows(READ_WAITING)
  return { messages: Number(row?.waiting ?? 0), hasChanges: row?.followed === 1 }
}

const indexBatch = (store: Pick<Store, 'commit'>, { hasChanges }: Waiting): Promise<void> =>
  store.commit([...(hasChanges ? FOLLOW : []), ...INDEX].map((sql) => statement(sql)))

/** Before a search. Returns whether everything is indexed now. */
export async function indexWaiting(store: Pick<Store, 'rows' | 'commit'>): Promise<boolean> {
  for (let batches = 0; ; batches += 1) {
    const waiting = await readWaiting(store)
    if (waiting.messages <= 0 && !waiting.hasChanges) return true
    if (batches === MAX_AWAITED) return false
    await indexBatch(store, waiting)
  }
}

/** Indexes what is stored, a batch at a time once so many messages wait. Stop it before the store is closed. */
export function startIndexing(
  store: Pick<Store, 'rows' | 'commit'>,
  log: Log,
  { check, pause } = INTERVALS,
): { stop(): Promise<void> } {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  async function indexNext(): Promise<number> {
    const waiting = await readWaiting(store)
    if (waiting.messages < BATCH && !waiting.hasChanges) return check
    const began = performance.now()
    await indexBatch(store, waiting)
    return Math.max(pause, PAUSE_SHARE * (performance.now() - began))
  }
  function schedule(ms: number): void {
    if (isStopped) return
    timer = setTimeout(() => {
      running = indexNext().then(schedule, (error) => {
        log.error({ error }, 'failed to index messages')
        schedule(check)
      })
    }, ms).unref()
  }
  schedule(check)
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      return running
    },
  }
}

export interface MessageSearch {
  search: string
  /** One chat, under any of its forms. */
  chatids?: string[]
  /** Only of these chats. */
  choice?: ChatChoice
  fromMe?: boolean
  oldestFirst?: boolean
  /** The place in the order after which the page begins. */
  after?: OrderPlace
}

/** The messages with all these words, sorted by time in seconds. Fewer than `limit` where their records are large, as in a list. */
export async function searchMessages(
  reader: Pick<StoreReader, 'rows'>,
  instance: string,
  { search, chatids, fromMe, oldestFirst = false, after, choice }: MessageSearch,
  { limit, offset }: { limit: number; offset: number },
): Promise<MessageRecord[]> {
  if (!hasWord(search)) return []
  const conditions = ['message_words MATCH ?', 'NOT found.change']
  const values: InValue[] = [buildMatch(instance, search, chatids)]
  if (chatids) {
    conditions.push('found.chatid IN (SELECT value FROM json_each(?))')
    values.push(JSON.stringify(chatids))
  }
  if (!chatids) conditions.push(`(found.chatid <> '${STATUS_JID}' OR found.from_me)`)
  if (choice) {
    const { condition, ids } = buildChoiceCondition(choice, 'found.chatid')
    conditions.push(condition)
    values.push(ids)
  }
  if (fromMe !== undefined) {
    conditions.push('found.from_me = ?')
    values.push(Number(fromMe))
  }
  if (after) {
    conditions.push(`message_words.rowid ${oldestFirst ? '>' : '<'} ?`)
    values.push((Math.floor(after.at / SECOND) - EARLIEST) * SECOND_BITS + (after.stored % SECOND_BITS))
  }
  const second = `message_words.rowid / ${SECOND_BITS} + ${EARLIEST}`
  const order = oldestFirst ? 'ASC' : 'DESC'
  const found = await reader.rows(
    `SELECT found.rowid AS stored, octet_length(found.record) AS size FROM message_words CROSS JOIN messages AS found
      ON found.instance = ? AND found.at >= (${second}) * 1000 AND found.at < (${second} + 1) * 1000
      AND found.rowid % ${SECOND_BITS} = message_words.rowid % ${SECOND_BITS}
      WHERE ${conditions.join(' AND ')} ORDER BY message_words.rowid ${order} LIMIT ? OFFSET ?`,
    instance,
    ...values,
    limit,
    offset,
  )
  const sizes = found.map(({ size }) => ({ size: Number(size) }))
  const places = found.slice(0, countPageRows(sizes)).map(({ stored }) => Number(stored))
  const rows = await reader.rows(
    'SELECT rowid AS stored, record FROM messages WHERE rowid IN (SELECT value FROM json_each(?))',
    JSON.stringify(places),
  )
  const records = new Map(rows.map(({ stored, record }) => [Number(stored), String(record)]))
  return places.flatMap((stored) => {
    const record = records.get(stored)
    return record === undefined ? [] : [JSON.parse(record) as MessageRecord]
  })
}

/** Each word stands in quotes, within which the syntax of the library has no meaning; signs inside a word part it into a phrase. */
function buildMatch(instance: string, search: string, chatids: string[] | undefined): string {
  const quote = (word: string) => `"${word.replaceAll('"', '""')}"`
  const places = chatids?.map((chatid) => createChatWord(instance, chatid)) ?? [createInstanceWord(instance)]
  // A NUL would end the words, within their quotes.
  const words = search.replaceAll('\0', ' ').split(/\s+/).filter(hasWord)
  const forms = words.map((word) => listForms(word).map(quote).join(' OR '))
  return [places.map(quote).join(' OR '), ...forms].map((part) => `(${part})`).join(' AND ')
}

/** Also as it stands: an earlier version has indexed older messages so. */
const listForms = (word: string): string[] => [...new Set([word, separateSigns(word)])].filter(isIndexed)

const isIndexed = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Of other signs nothing is indexed. */
const hasWord = (text: string): boolean => isIndexed(text) || hasEmoji(text)
