// The limits that the network has set on an account, one row an instance.

import type { AccountLimits } from '@msgnet/shared/contract/responses/limit-responses.ts'
import { limits } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { eq } from 'drizzle-orm'
import type { Store } from './host-store.ts'

export async function findLimits({ db }: Store, instance: string): Promise<AccountLimits | undefined> {
  const [row] = await db.select().from(limits).where(eq(limits.instance, instance))
  return row?.state
}

export const storeLimits = ({ db }: Store, instance: string, state: AccountLimits): Statement =>
  db
    .insert(limits)
    .values({ instance, state })
    .onConflictDoUpdate({ target: limits.instance, set: { state } })

export const deleteLimits = ({ db }: Store, instance: string): Statement =>
  db.delete(limits).where(eq(limits.instance, instance))
