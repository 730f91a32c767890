// The list of instances, which the database writes as JSON, because to read a thousand rows one by one would be the larger part of the cost.

import { formatDateTime } from '../../shared/date-time.ts'
import { selectOwner } from '../../shared/db/select-owner.ts'
import { readFittingPage } from './database/fitting-page.ts'
import { DATABASE_NOW, type Store } from './database/open-store.ts'

// The same fields as `toInstanceRecord` makes for a row that is not being linked. Times are written by the edge: that costs the
// same in both places, and there is only one database.
const RECORD = `json_object(
  'id', instances.id, 'kind', kind, 'name', name, 'companyId', company_id,
  'owner', ${selectOwner()},
  'profileName', profile_name, 'qrcode', '', 'paircode', '',
  'status', iif(status <> 'disconnected' and coalesce(hosts.lease_until, 0) <= ${DATABASE_NOW}, 'connecting', status),
  'lastDisconnect', iif(last_disconnect, last_disconnect, ''), 'lastDisconnectReason', last_disconnect_reason,
  'msg_delay_min', delay_min, 'msg_delay_max', delay_max,
  'createdAt', instances.created_at, 'updatedAt', updated_at)`

/** Records of one read. */
const PAGE = 1000

// Records, their number, and the key of the last one: its time in fifteen digits, and its id.
const buildListing = (where: string) => `select group_concat(record, ','), count(*), max(key) from (
  select ${RECORD} as record, printf('%015d', instances.created_at) || instances.id as key
  from instances left join hosts on hosts.id = host_id
  where (instances.created_at, instances.id) > (?1, ?2) ${where}
  order by instances.created_at, instances.id limit ?3)`
const ALL = buildListing('')
const OF_COMPANY = buildListing('and company_id = ?4')

// No text can match: inside a text a quotation mark has a backslash before it.
const TIMES = /(Disconnect|At)":(\d+)/g

let lastWritten = { records: '', text: '' }

/** Requests of one moment often get the same records. */
function writeTimes(records: string): string {
  if (records !== lastWritten.records) {
    const text = records.replace(TIMES, (_, name, ms) => `${name}":"${formatDateTime(Number(ms))}"`)
    lastWritten = { records, text }
  }
  return lastWritten.text
}

/**
 * JSON as the API shows it, oldest first, in pages of records with commas between them. Instances that are created meanwhile come
 * last; one that is deleted meanwhile may be left out.
 */
export async function* listInstancePages(store: Store, companyId?: string): AsyncGenerator<string> {
  const readPage = async (after: [at: number, id: string], limit: number) => {
    const args = [...after, limit]
    const query = companyId ? { sql: OF_COMPANY, args: [...args, companyId] } : { sql: ALL, args }
    const [found] = await store.readAll({ ...query, isLarge: true })
    return { limit, row: found?.rows[0] ?? [] }
  }
  for (let last: [at: number, id: string] = [-1, '']; ; ) {
    const { limit, row } = await readFittingPage(PAGE, (fewer) => readPage(last, fewer))
    const [records, count, key] = row
    if (!count) return
    yield writeTimes(String(records))
    if (Number(count) < limit) return
    last = [Number(String(key).slice(0, 15)), String(key).slice(15)]
  }
}
