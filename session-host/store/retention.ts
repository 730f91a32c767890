// How long messages are kept: as many days as the operator says, and of one chat no more than the newest ten thousand. And the journal.

import { DAY, HOUR, MINUTE } from '../../shared/clock.ts'
import { keptDays } from '../../shared/kept.ts'
import { type Log, reason } from '../log.ts'
import { TRACKED_MS } from './journal.ts'
import { type Store, statement } from './store.ts'

const KEPT_A_CHAT = 10_000
/** One batch holds the disk for a few milliseconds. */
const AT_ONCE = 500

const TOO_OLD = `DELETE FROM messages WHERE rowid IN (SELECT rowid FROM messages WHERE at < ? LIMIT ${AT_ONCE}) RETURNING 1`
const CROWDED = 'SELECT instance, chatid FROM messages GROUP BY instance, chatid HAVING count(*) > ?'
const CROWDING = `DELETE FROM messages WHERE rowid IN (SELECT rowid FROM messages
  WHERE instance = ? AND chatid = ? ORDER BY at DESC LIMIT ${AT_ONCE} OFFSET ?) RETURNING 1`
const UNAWAITED = `DELETE FROM unawaited WHERE NOT EXISTS (SELECT 1 FROM messages
  WHERE messages.instance = unawaited.instance AND messages.messageid = unawaited.messageid)`
/** Unknown outcomes that did not come to light while somebody could ask for them. */
const NEVER_KNOWN = 'DELETE FROM journal WHERE seen AND accepted_at < ?'
const EMPTY_CHATS = 'DELETE FROM chats WHERE last_at < ?'

export async function forgetOldMessages(
  store: Store,
  now: number,
  { days = keptDays.messages.preset, aChat: keptAChat = KEPT_A_CHAT } = {},
): Promise<void> {
  const before = now - days * DAY
  await untilNothingIsLeft(store, TOO_OLD, before)
  for (const { instance, chatid } of await store.rows(CROWDED, keptAChat)) {
    await untilNothingIsLeft(store, CROWDING, String(instance), String(chatid), keptAChat)
  }
  const gone = [statement(EMPTY_CHATS, before), statement(UNAWAITED)]
  await store.commit([...gone, statement(NEVER_KNOWN, now - TRACKED_MS)])
}

async function untilNothingIsLeft(store: Store, sql: string, ...params: (string | number)[]): Promise<void> {
  for (let gone = AT_ONCE; gone === AT_ONCE; ) {
    gone = (await store.rows(sql, ...params)).length
  }
}

/** Once an hour, and soon after the start. */
export function keepForgetting(store: Store, days: number, log: Log): { stop(): void } {
  const forget = () =>
    void forgetOldMessages(store, Date.now(), { days }).catch((thrown) =>
      log.error({ err: thrown }, `old messages are not forgotten: ${reason(thrown)}`),
    )
  const first = setTimeout(forget, MINUTE)
  const timer = setInterval(forget, HOUR)
  return {
    stop() {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}
