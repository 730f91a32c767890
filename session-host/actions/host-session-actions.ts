// Actions on the session itself: connect, restart, proxy, disconnect, export, delete.

import { truncateToLimits } from '@msgnet/shared/truncation.ts'
import {
  createDoneOutcome,
  createRefusal,
  type Outcome,
  type RefusedOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import {
  type ActionInput,
  type ActionResult,
  MAX_RESULT_CHARACTERS,
} from '@msgnet/shared/wire/session-actions.ts'
import { createSingleLine, trackRequests } from '../driver/request-tracking.ts'
import { toGroupRecord } from '../sessions/group-records.ts'
import { createExportPages, type KeyedRow } from '../store/export-pages.ts'
import { type ActionContext, type ActionTable, toFailedOutcome } from './action.ts'
import { importCredential } from './import-credential.ts'

const notRequested = createRefusal('session_conflict', 'The network does not request a passkey now.')
const otherChallenge: RefusedOutcome = {
  ...createRefusal(
    'operation_refused',
    'The assertion is for another challenge than pairing.passkey.options has.',
  ),
  errorKey: 'other_challenge',
}

export const sessionActions: ActionTable<'session'> = {
  'session.connect': ({ session }, request) => session.connect(request),

  async 'session.passkey'({ session, requests, deadline }, { assertion, waitMs }) {
    const network = session.passkeyNetwork
    if (!network) return notRequested
    const tracked = trackRequests(createSingleLine(network), network, requests, deadline)
    const answer = await tracked.sendAssertion(assertion, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    if (answer.value === 'not_requested') return notRequested
    if (answer.value === 'other_challenge') return otherChallenge
    return session.waitForState(waitMs, ({ pairing }) => Boolean(pairing?.passkey?.confirmation))
  },

  'session.restart': ({ session }, { proxy, waitMs }) => session.restart(proxy, waitMs),

  async 'session.proxy'({ session }, { proxy }) {
    await session.storeProxy(proxy)
    return createDoneOutcome({ kept: true as const })
  },

  async 'session.disconnect'({ session, requests, deadline }, { waitMs }) {
    const unlinked = await session.disconnect({ requests, deadline, ...(waitMs !== undefined && { waitMs }) })
    return createDoneOutcome({ unlinked, state: session.state.now })
  },

  'session.import': importCredential,

  'session.export': exportRows,

  async 'session.delete'({ session, sessions, requests, deadline }) {
    const unlinked = await session.delete({ requests, deadline })
    sessions.removeSession(session.instance)
    return createDoneOutcome({ unlinked })
  },
}

const PAGE_ROWS = 100

export async function exportRows(
  { session }: ActionContext,
  { what, after }: ActionInput<'session.export'>,
): Promise<Outcome<ActionResult<'session.export'>>> {
  const pages = createExportPages((group) =>
    toGroupRecord(group, session.groups.isOwnMember, { participants: true }),
  )
  const found = await pages[what](session.store, session.instance, after, PAGE_ROWS + 1)
  const page: typeof found = []
  let characters = 0
  for (const one of found.slice(0, PAGE_ROWS).map(fitFrame)) {
    characters += JSON.stringify(one.row).length
    if (page.length > 0 && characters > MAX_RESULT_CHARACTERS) break
    page.push(one)
  }
  const next = page.length < found.length ? (page.at(-1)?.key ?? null) : null
  return createDoneOutcome({ rows: page.map(({ row }) => ({ ...row })), next })
}

/** A row that no frame holds is exported cut, and says so. */
function fitFrame({ key, row }: KeyedRow): KeyedRow {
  const { value, truncated } = truncateToLimits(row)
  return truncated ? { key, row: { ...value, truncated } } : { key, row }
}
