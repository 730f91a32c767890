// The list of instances, which the database writes as JSON, because to read a thousand rows one by one would be most of the cost.

import { dateTime } from '../../shared/clock.ts'
import { PERSON_SUFFIX } from '../../shared/jid.ts'
import { DATABASE_NOW, type Store } from './database/database.ts'
import type { Result } from './database/statements.ts'

const suffix = `-${PERSON_SUFFIX.length}`

// The same fields as `instanceRecord` makes for a row that is not being linked. Times are written by the edge: that costs the
// same in both places, and there is only one database.
const RECORD = `json_object(
  'id', instances.id, 'kind', kind, 'name', name, 'companyId', company_id,
  'owner', iif(substr(jid, ${suffix}) = '${PERSON_SUFFIX}', substr(jid, 1, length(jid) ${suffix}), ''),
  'profileName', profile_name, 'qrcode', '', 'paircode', '',
  'status', iif(status <> 'disconnected' and coalesce(hosts.lease_until, 0) <= ${DATABASE_NOW}, 'connecting', status),
  'lastDisconnect', iif(last_disconnect, last_disconnect, ''), 'lastDisconnectReason', last_disconnect_reason,
  'msg_delay_min', delay_min, 'msg_delay_max', delay_max,
  'createdAt', instances.created_at, 'updatedAt', updated_at)`

const listing = (where: string) => `select group_concat(record, ',') from (
  select ${RECORD} as record from instances left join hosts on hosts.id = host_id
  ${where} order by instances.created_at, instances.id)`
const ALL = listing('')
const OF_COMPANY = listing('where company_id = ?')

// No text can match: inside a text a quotation mark has a backslash before it.
const TIMES = /(Disconnect|At)":(\d+)/g

/** The JSON by the database's answer, which is the same object for all requests of the same moment. */
const written = new WeakMap<Result, string>()

/** JSON as the API shows it, oldest first. */
export async function listedInstances(store: Store, companyId?: string): Promise<string> {
  const [found] = await store.ask(companyId ? { sql: OF_COMPANY, args: [companyId] } : { sql: ALL, args: [] })
  if (!found) return '[]'
  const list = written.get(found) ?? write(found)
  written.set(found, list)
  return list
}

function write({ rows }: Result): string {
  const records = String(rows[0]?.[0] ?? '')
  return `[${records.replace(TIMES, (_, name, ms) => `${name}":"${dateTime(Number(ms))}"`)}]`
}
