// The temporary limits of an account: a time lock on new chats, and a cap on their number.
import { stanza } from '../codec/stanza.ts'
import type { Account } from '../store/accounts.ts'
import { SERVER } from './address.ts'
import { deliverToAll } from './delivery.ts'
import type { Network } from './network.ts'
import { Refusal } from './refusal.ts'
import { freshId, seconds } from './stamps.ts'

const TIME_LOCK = 'time_lock'
/** The account may not write to new people. */
const LOCKED = 463

/** Milliseconds since the epoch; 0 without a lock. */
export function lockedUntil({ store }: Network, { number }: Account): number {
  const until = Number(store.privacy.get(number, TIME_LOCK, '0'))
  return until > Date.now() ? until : 0
}

export function setTimeLock(network: Network, account: Account, until: number, quietly: boolean) {
  network.store.privacy.set(account.number, TIME_LOCK, `${until}`)
  if (quietly) return
  const locked = until > Date.now()
  const xwa2_notify_account_reachout_timelock = {
    is_active: locked,
    ...(locked && { time_enforcement_ends: secondsOf(until), enforcement_type: 'DEFAULT' }),
  }
  notify(network, account, 'NotificationUserReachoutTimelockUpdate', {
    xwa2_notify_account_reachout_timelock,
  })
}

export type ChatCap = { total: number; used: number; until: number }

export function setChatCap(network: Network, account: Account, { total, used, until }: ChatCap) {
  const xwa2_notify_new_chat_messages_capping_info_update = {
    ...{ total_quota: total, used_quota: used, cycle_start_timestamp: seconds() },
    ...{ cycle_end_timestamp: secondsOf(until), capping_status: used >= total ? 'CAPPED' : 'NONE' },
  }
  const data = { xwa2_notify_new_chat_messages_capping_info_update }
  notify(network, account, 'MessageCappingInfoNotification', data)
}

/** Throws for a message to a person with whom the account has never exchanged one. */
export function mayWriteTo(network: Network, account: Account, other: Account) {
  if (lockedUntil(network, account) === 0 || account.number === other.number) return
  if (network.store.messages.correspondents(account.number).includes(other.number)) return
  throw new Refusal(LOCKED)
}

const secondsOf = (at: number) => `${Math.floor(at / 1000)}`

function notify(network: Network, account: Account, op_name: string, data: object) {
  const attrs = { from: SERVER, type: 'mex', id: freshId(), t: seconds() }
  const update = stanza('update', { op_name }, Buffer.from(JSON.stringify({ data })))
  deliverToAll(network, account.number, stanza('notification', attrs, [update]))
}
