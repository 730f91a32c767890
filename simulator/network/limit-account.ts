// The temporary limits of an account: a time lock on new chats, and a cap on their number.
import { buildStanza } from '../codec/stanza.ts'
import type { Account } from '../store/account-table.ts'
import { SERVER } from './address.ts'
import { deliverToAll } from './deliver-stanza.ts'
import { Refusal } from './refusal-codes.ts'
import type { Network } from './simulated-network.ts'
import { createId, formatSeconds } from './stanza-ids.ts'

const TIME_LOCK = 'time_lock'
/** The account may not write to new people. */
const LOCKED = 463

/** Milliseconds since the epoch; 0 without a lock. */
export function findLockEnd({ store }: Network, { number }: Account): number {
  const until = Number(store.privacy.readValue(number, TIME_LOCK, '0'))
  return until > Date.now() ? until : 0
}

export function setTimeLock(network: Network, account: Account, until: number, quietly: boolean) {
  network.store.privacy.storeValue(account.number, TIME_LOCK, `${until}`)
  if (quietly) return
  const locked = until > Date.now()
  const xwa2_notify_account_reachout_timelock = {
    is_active: locked,
    ...(locked && { time_enforcement_ends: toSeconds(until), enforcement_type: 'DEFAULT' }),
  }
  notifyLimit(network, account, 'NotificationUserReachoutTimelockUpdate', {
    xwa2_notify_account_reachout_timelock,
  })
}

export type ChatCap = { total: number; used: number; until: number }

export function setChatCap(network: Network, account: Account, { total, used, until }: ChatCap) {
  const xwa2_notify_new_chat_messages_capping_info_update = {
    total_quota: total,
    used_quota: used,
    cycle_start_timestamp: formatSeconds(),
    cycle_end_timestamp: toSeconds(until),
    capping_status: used >= total ? 'CAPPED' : 'NONE',
  }
  const data = { xwa2_notify_new_chat_messages_capping_info_update }
  notifyLimit(network, account, 'MessageCappingInfoNotification', data)
}

/** Throws for a message to a person with whom the account has never exchanged one. */
export function checkMayWrite(network: Network, account: Account, other: Account) {
  if (findLockEnd(network, account) === 0 || account.number === other.number) return
  if (network.store.messages.listCorrespondents(account.number).includes(other.number)) return
  throw new Refusal(LOCKED)
}

const toSeconds = (at: number) => `${Math.floor(at / 1000)}`

function notifyLimit(network: Network, account: Account, op_name: string, data: object) {
  const attrs = { from: SERVER, type: 'mex', id: createId(), t: formatSeconds() }
  const update = buildStanza('update', { op_name }, Buffer.from(JSON.stringify({ data })))
  deliverToAll(network, account.number, buildStanza('notification', attrs, [update]))
}
