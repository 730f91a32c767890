// Actions on the session itself: connect, restart, proxy, disconnect, export, delete.

import { done, refused } from '../../shared/wire/outcome.ts'
import { nothingLinked } from '../sessions/session.ts'
import type { ActionTable } from './action.ts'
import { exportRows } from './export.ts'

export const sessionActions: ActionTable<'session'> = {
  async 'session.connect'({ session, sessions }, { phone, proxy, waitMs }) {
    if (!sessions.hasSlotFor(session)) return refused('worker_full')
    return session.connect(phone, proxy, waitMs)
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
