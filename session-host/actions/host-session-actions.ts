// Actions on the session itself: connect, restart, proxy, disconnect, export, delete.

import { createDoneOutcome, createRefusal, type RefusedOutcome } from '../../shared/wire/outcome.ts'
import { trackRequests } from '../driver/request-tracking.ts'
import { notLinked } from '../sessions/host-session.ts'
import { type ActionTable, toFailedOutcome } from './action.ts'
import { exportRows } from './export-rows.ts'

const notRequested = createRefusal('session_conflict', 'The network asks for no passkey now.')
const otherChallenge: RefusedOutcome = {
  ...createRefusal(
    'operation_refused',
    'The assertion is for another challenge than pairing.passkey.options has.',
  ),
  errorKey: 'other_challenge',
}

export const sessionActions: ActionTable<'session'> = {
  async 'session.connect'({ session, sessions }, { phone, proxy, waitMs }) {
    if (!sessions.hasSlotFor(session)) return createRefusal('worker_full')
    return session.connect(phone, proxy, waitMs)
  },

  async 'session.passkey'({ session, requests, deadline }, { assertion, waitMs }) {
    const network = session.passkeyNetwork
    if (!network) return notRequested
    const answer = await trackRequests(network, requests).sendAssertion(assertion, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    if (answer.value === 'not_requested') return notRequested
    if (answer.value === 'other_challenge') return otherChallenge
    return session.waitForState(waitMs, ({ pairing }) => Boolean(pairing?.passkey?.confirmation))
  },

  async 'session.restart'({ session, sessions }, { proxy, waitMs }) {
    if (!(await session.isLinked())) return notLinked
    if (!sessions.hasSlotFor(session)) return createRefusal('worker_full')
    return session.restart(proxy, waitMs)
  },

  async 'session.proxy'({ session }, { proxy }) {
    await session.storeProxy(proxy)
    return createDoneOutcome({ kept: true as const })
  },

  async 'session.disconnect'({ session, requests, deadline }, { waitMs }) {
    const unlinked = await session.disconnect({ requests, deadline, ...(waitMs !== undefined && { waitMs }) })
    return createDoneOutcome({ unlinked, state: session.state.now })
  },

  'session.export': exportRows,

  async 'session.delete'({ session, sessions, requests, deadline }) {
    const unlinked = await session.delete({ requests, deadline })
    sessions.removeSession(session.instance)
    return createDoneOutcome({ unlinked })
  },
}
