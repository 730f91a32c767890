// The limits that the network has set on an account, one row an instance.

import { eq } from 'drizzle-orm'
import type { AccountLimits } from '../../shared/contract/answers/limits.ts'
import { limits } from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Store } from './store.ts'

export async function findLimits({ db }: Store, instance: string): Promise<AccountLimits | undefined> {
  const [row] = await db.select().from(limits).where(eq(limits.instance, instance))
  return row?.state
}

export const keepLimits = ({ db }: Store, instance: string, state: AccountLimits): Statement =>
  db
    .insert(limits)
    .values({ instance, state })
    .onConflictDoUpdate({ target: limits.instance, set: { state } })

export const forgetLimits = ({ db }: Store, instance: string): Statement =>
  db.delete(limits).where(eq(limits.instance, instance))
