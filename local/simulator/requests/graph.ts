// The query interface that answers in JSON: the account's standing and its limits.
import { stanza, textOf } from '../codec/stanza.ts'
import { Refusal } from '../network/refusal.ts'
import { asking, type RequestTable } from './request.ts'

/** By the numbers under which clients know the queries. */
const QUERIES: Record<string, object> = {
  '23983697327930364': { xwa2_fetch_account_reachout_timelock: { is_active: false } },
  '24503548349331633': {
    xwa2_message_capping_info: { total_quota: 0, used_quota: 0, cycle_start_timestamp: '0' },
  },
}

export const graphRequests: RequestTable = {
  'w:mex get query'(request) {
    asking(request)
    const data = QUERIES[request.child?.attrs.query_id ?? '']
    if (data === undefined || textOf(request.child) === undefined) throw new Refusal(400)
    return [stanza('result', {}, Buffer.from(JSON.stringify({ data })))]
  },
}
