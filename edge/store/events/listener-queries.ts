// Queries for open streams: the events that they read, and the row that shows ingestion which instances have one.

import { events, instances } from '@msgnet/shared/db/edge-tables.ts'
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { StreamListener } from '../../objects/objects.ts'
import { hasLiveAdminToken } from '../admin-token-queries.ts'
import { readFittingPage } from '../database/fitting-page.ts'
import type { Store } from '../database/open-store.ts'
import { hasLiveScopedToken, matchesToken } from '../token-validity.ts'
import type { StoredRow } from './event-queries.ts'

/** Events of one read, and so the maximum that a slow stream has in memory. */
const PAGE = 20

export interface StreamedEvent {
  instanceName: string
  event: StoredRow
}

/** SQL over a row of the instances: the token still allows to listen to it. */
function mayListen({ credential, tokenHash, instanceId }: StreamListener): SQL | undefined {
  if (credential === 'instance') return matchesToken('instances', tokenHash)
  const isNamed = eq(instances.id, instanceId)
  if (credential === 'scoped') return and(isNamed, hasLiveScopedToken(tokenHash))
  return credential === 'root' ? isNamed : and(isNamed, hasLiveAdminToken(tokenHash))
}

/** Undefined if the token is not valid any more. */
export async function readEventsAfter(
  store: Store,
  listener: StreamListener,
  afterSeq: number,
): Promise<StreamedEvent[] | undefined> {
  const rows = await readFittingPage(PAGE, (limit) =>
    store.db
      .select({ instanceName: instances.name, event: events })
      .from(instances)
      .leftJoin(events, and(eq(events.instanceId, instances.id), gt(events.seq, afterSeq)))
      .where(mayListen(listener))
      .orderBy(asc(events.seq))
      .limit(limit),
  )
  if (rows.length === 0) return undefined
  return rows.flatMap(({ instanceName, event }) => (event ? [{ instanceName, event }] : []))
}

/** Writes nothing and returns false if the token has ended meanwhile. */
export async function renewListener(store: Store, listener: StreamListener, until: number): Promise<boolean> {
  const { rowsAffected } = await store.db.run(sql`insert into listeners (instance_id, until)
    select id, ${until} from instances where id = ${listener.instanceId} and ${mayListen(listener)}
    on conflict (instance_id) do update set until = excluded.until`)
  return rowsAffected > 0
}
