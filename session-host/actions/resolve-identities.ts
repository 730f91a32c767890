// Finds both spellings of a person's id, from the network's mappings and from stored messages.

import type { Identities } from '../../shared/contract/identity-requests.ts'
import { isGroup, isLid } from '../../shared/jid.ts'
import { createDoneOutcome, type Outcome } from '../../shared/wire/outcome.ts'
import type { ActionInput } from '../../shared/wire/session-actions.ts'
import { findOtherForms } from '../store/identity-store.ts'
import type { ActionContext } from './action.ts'

export async function resolveIdentities(
  { session, network }: ActionContext,
  { ids }: ActionInput<'account.identities'>,
): Promise<Outcome<Identities>> {
  const { store, instance } = session
  const people = [...new Set(ids.filter((id) => !isGroup(id)))]
  const stored = await findOtherForms(store, instance, people)
  const found = ids.map(async (id): Promise<Identities[number]> => {
    const own = { id, jid: isLid(id) || isGroup(id) ? '' : id, lid: isLid(id) ? id : '' }
    const known = isGroup(id) ? undefined : await network?.findKnownIds(id)
    if (known?.pn && known.lid) return { id, jid: known.pn, lid: known.lid, source: 'network' }
    const other = stored.get(id)
    return other ? { id, jid: other.pn, lid: other.lid, source: other.source } : { ...own, source: '' }
  })
  return createDoneOutcome(await Promise.all(found))
}
