// The query interface with JSON answers: the state of the account and its limits.
import { stanza, textOf } from '../codec/stanza.ts'
import { lockedUntil } from '../network/limits.ts'
import { Refusal } from '../network/refusal.ts'
import { asking, type RequestTable } from './request.ts'

/** By the numbers that clients use for the queries. */
const QUERIES: Record<string, (until: number) => object> = {
  '23983697327930364': (until) => ({
    xwa2_fetch_account_reachout_timelock: {
      is_active: until > 0,
      ...(until > 0 && { time_enforcement_ends: `${Math.floor(until / 1000)}` }),
    },
  }),
  '24503548349331633': () => ({
    xwa2_message_capping_info: { total_quota: 0, used_quota: 0, cycle_start_timestamp: '0' },
  }),
}

export const graphRequests: RequestTable = {
  'w:mex get query'(request) {
    const { account } = asking(request)
    const query = QUERIES[request.child?.attrs.query_id ?? '']
    if (query === undefined || textOf(request.child) === undefined) throw new Refusal(400)
    const data = query(lockedUntil(request.network, account))
    return [stanza('result', {}, Buffer.from(JSON.stringify({ data })))]
  },
}
