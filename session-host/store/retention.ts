// Deletes old messages: those past the configured days, and those beyond the newest ten thousand of a chat; and old journal rows.

import { setTimeout as wait } from 'node:timers/promises'
import type { InStatement } from '@libsql/client'
import { DAY } from '@msgnet/shared/date-time.ts'
import { MESSAGE_AGE } from '@msgnet/shared/db/host-tables.ts'
import { OUTCOME_RETENTION_MS, retentionDays } from '@msgnet/shared/retention-periods.ts'
import type { Store } from './host-store.ts'
import { type Row, statement } from './sql.ts'

const MAX_CHAT_MESSAGES = 10_000
/** The rows of one statement on a file, to which no other connection can write meanwhile. */
const FILE_PART = { rows: 20, chats: 10 }
/** More rows on a server, because each statement is a round trip. */
const SERVER_PART = { rows: 500, chats: 100 }
/** After this long a pause follows, longer than others have waited. */
const SLICE_MS = 5
const PAUSE_MS = 20

const TOO_OLD = `DELETE FROM messages WHERE rowid IN
  (SELECT rowid FROM messages WHERE ${MESSAGE_AGE} < ? LIMIT ?) RETURNING 1`
/** The next chats, each with the time of the oldest message that stays, if it has that many. */
const CHATS = `SELECT instance, chatid, (SELECT at FROM messages
    WHERE messages.instance = chat.instance AND messages.chatid = chat.chatid ORDER BY at DESC LIMIT 1 OFFSET ?) AS oldest
  FROM (SELECT instance, chatid FROM chats WHERE (instance, chatid) > (?, ?) ORDER BY instance, chatid LIMIT ?) AS chat`
const CROWDING = `DELETE FROM messages WHERE rowid IN
  (SELECT rowid FROM messages WHERE instance = ? AND chatid = ? AND at < ? LIMIT ?) RETURNING 1`
const NEXT_INSTANCE = 'SELECT instance FROM chats WHERE instance > ? ORDER BY instance LIMIT 1'
/** A group that the account is in stays one: it was a chat before its first message too. */
const EMPTY_CHATS = `DELETE FROM chats WHERE rowid IN
  (SELECT rowid FROM chats WHERE instance = ? AND last_at < ? AND NOT EXISTS
    (SELECT 1 FROM messages WHERE messages.instance = chats.instance AND messages.chatid = chats.chatid)
    AND NOT EXISTS (SELECT 1 FROM groups WHERE groups.instance = chats.instance AND groups.jid = chats.chatid)
  LIMIT ?) RETURNING 1`
/** The keeper of the media deletes their files. */
const OLD_MEDIA = `UPDATE stored_media SET state = 'ended', key = NULL WHERE rowid IN
  (SELECT rowid FROM stored_media WHERE at < ? AND state <> 'ended' LIMIT ?) RETURNING 1`
const UNAWAITED = `DELETE FROM unawaited WHERE NOT EXISTS (SELECT 1 FROM messages
  WHERE messages.instance = unawaited.instance AND messages.messageid = unawaited.messageid)`
const EARLY_CHANGES = `DELETE FROM early_changes WHERE NOT EXISTS (SELECT 1 FROM messages
  WHERE messages.instance = early_changes.instance AND messages.messageid = early_changes.messageid)`
/** Unknown outcomes that were not resolved while callers could still ask for them. */
const UNRESOLVED = 'DELETE FROM journal WHERE seen AND accepted_at < ?'

const HAS_EXPIRED = 'SELECT 1 FROM messages WHERE expires_at <= ? LIMIT 1'
const EXPIRED = 'SELECT rowid FROM messages WHERE expires_at <= ? ORDER BY expires_at LIMIT ?'
const EXPIRED_MEDIA = `UPDATE stored_media SET state = 'ended', key = NULL WHERE state <> 'ended'
  AND (instance, messageid) IN (SELECT instance, messageid FROM messages WHERE rowid IN (${EXPIRED}))`
const EXPIRED_MESSAGES = `DELETE FROM messages WHERE rowid IN (${EXPIRED})`

interface RetentionOptions {
  days?: number
  mediaDays?: number
  aChat?: number
  signal?: AbortSignal
}

type RetentionStore = Pick<Store, 'rows' | 'shared'> & { commit(statements: InStatement[]): Promise<void> }

export const hasExpired = async (store: Pick<Store, 'rows'>, now: number): Promise<boolean> =>
  (await store.rows(HAS_EXPIRED, now)).length > 0

/** Deletes the messages that have disappeared from their chats, and their files; the same way. */
export async function deleteExpired(
  store: RetentionStore,
  now: number,
  { signal }: Pick<RetentionOptions, 'signal'> = {},
): Promise<void> {
  const { rows } = store.shared ? SERVER_PART : FILE_PART
  const pauseIfDue = createPause(signal)
  while (await hasExpired(store, now)) {
    await store.commit([EXPIRED_MEDIA, EXPIRED_MESSAGES].map((sql) => statement(sql, now, rows)))
    await pauseIfDue()
  }
}

/** Deletes in small parts, with pauses between them. Throws when `signal` is aborted. */
export async function deleteOldMessages(
  store: RetentionStore,
  now: number,
  options: RetentionOptions = {},
): Promise<void> {
  const {
    days = retentionDays.messages.preset,
    mediaDays = days,
    aChat = MAX_CHAT_MESSAGES,
    signal,
  } = options
  const before = now - days * DAY
  const part = store.shared ? SERVER_PART : FILE_PART
  const pauseIfDue = createPause(signal)
  const rows: Store['rows'] = async (sql, ...params) => {
    const found = await store.rows(sql, ...params)
    await pauseIfDue()
    return found
  }
  async function repeatUntilDone(sql: string, ...params: (string | number)[]): Promise<void> {
    for (let gone = part.rows; gone === part.rows; ) gone = (await rows(sql, ...params, part.rows)).length
  }

  await repeatUntilDone(TOO_OLD, before)
  await repeatUntilDone(OLD_MEDIA, now - Math.min(days, mediaDays) * DAY)
  for await (const { instance, chatid, oldest } of iterateChats(rows, aChat, part.chats)) {
    if (oldest !== null) await repeatUntilDone(CROWDING, String(instance), String(chatid), Number(oldest))
  }
  for await (const instance of iterateInstances(rows)) await repeatUntilDone(EMPTY_CHATS, instance, before)
  await store.commit([
    statement(UNAWAITED),
    statement(EARLY_CHANGES),
    statement(UNRESOLVED, now - OUTCOME_RETENTION_MS),
  ])
}

/** Messages with the same time stay together, so a chat may have a few more than `maxMessages`. */
async function* iterateChats(rows: Store['rows'], maxMessages: number, atOnce: number): AsyncGenerator<Row> {
  for (let last: Row | undefined = { instance: '', chatid: '' }; last; ) {
    const found: Row[] = await rows(
      CHATS,
      maxMessages - 1,
      String(last.instance),
      String(last.chatid),
      atOnce,
    )
    yield* found
    last = found.at(-1)
  }
}

async function* iterateInstances(rows: Store['rows']): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const [next] = await rows(NEXT_INSTANCE, after)
    if (!next) return
    after = String(next.instance)
    yield after
  }
}

function createPause(signal: AbortSignal | undefined): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < SLICE_MS) return
    await wait(PAUSE_MS, undefined, { ...(signal && { signal }) })
    began = performance.now()
  }
}
