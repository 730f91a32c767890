// The query interface with JSON responses: the state of the account and its limits.
import * as z from 'zod'
import { buildStanza, readText } from '../codec/stanza.ts'
import { findLockEnd } from '../network/limit-account.ts'
import { Refusal } from '../network/refusal-codes.ts'
import { MAX_ABOUT } from '../network-limits.ts'
import { setAbout } from '../people/profile-notices.ts'
import { type RequestTable, requireCompanion } from './request.ts'

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

/** Changes the text of the account's profile, in place of an older request. */
const SET_ABOUT = '9152604461510864'
const About = z.object({
  variables: z.object({ input: z.object({ text: z.string().max(MAX_ABOUT).nullable() }) }),
})

export const graphRequests: RequestTable = {
  'w:mex get query'(request) {
    const { account, companion } = requireCompanion(request)
    if (request.child?.attrs.query_id === SET_ABOUT) {
      const parsed = About.safeParse(JSON.parse(readText(request.child) ?? 'null'))
      if (!parsed.success) throw new Refusal(400)
      setAbout(request.network, account, parsed.data.variables.input.text ?? '', companion.device)
      return [
        buildStanza('result', {}, Buffer.from(JSON.stringify({ data: { xwa2_update_text_status: {} } }))),
      ]
    }
    const query = QUERIES[request.child?.attrs.query_id ?? '']
    if (query === undefined || readText(request.child) === undefined) throw new Refusal(400)
    const data = query(findLockEnd(request.network, account))
    return [buildStanza('result', {}, Buffer.from(JSON.stringify({ data })))]
  },
}
