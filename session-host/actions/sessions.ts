// Actions on the session itself: connect, restart, proxy, disconnect, export, delete.

import { done, type Refused, refused } from '../../shared/wire/outcome.ts'
import { watched } from '../driver/requests.ts'
import { nothingLinked } from '../sessions/session.ts'
import { type ActionTable, notDone } from './action.ts'
import { exportRows } from './export.ts'

const notAsked = refused('session_conflict', 'The network asks for no passkey now.')
const otherChallenge: Refused = {
  ...refused('operation_refused', 'The assertion is for another challenge than pairing.passkey.options has.'),
  errorKey: 'other_challenge',
}

export const sessionActions: ActionTable<'session'> = {
  async 'session.connect'({ session, sessions }, { phone, proxy, waitMs }) {
    if (!sessions.hasSlotFor(session)) return refused('worker_full')
    return session.connect(phone, proxy, waitMs)
  },

  async 'session.passkey'({ session, requests, deadline }, { assertion, waitMs }) {
    const network = session.passkeyNetwork
    if (!network) return notAsked
    const answer = await watched(network, requests).sendAssertion(assertion, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    if (answer.value === 'not_asked') return notAsked
    if (answer.value === 'other_challenge') return otherChallenge
    return session.news(waitMs, ({ pairing }) => Boolean(pairing?.passkey?.confirmation))
  },

  async 'session.restart'({ session, sessions }, { proxy, waitMs }) {
    if (!(await session.linked())) return nothingLinked
    if (!sessions.hasSlotFor(session)) return refused('worker_full')
    return session.restart(proxy, waitMs)
  },

  async 'session.proxy'({ session }, { proxy }) {
    await session.keepProxy(proxy)
    return done({ kept: true as const })
  },

  async 'session.disconnect'({ session, requests, deadline }, { waitMs }) {
    const unlinked = await session.disconnect({ requests, deadline, ...(waitMs !== undefined && { waitMs }) })
    return done({ unlinked, state: session.state.now })
  },

  'session.export': exportRows,

  async 'session.delete'({ session, sessions, requests, deadline }) {
    const unlinked = await session.delete({ requests, deadline })
    sessions.forget(session.instance)
    return done({ unlinked })
  },
}
