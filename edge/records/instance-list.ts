// The list of instances. The database writes a page as one JSON text, because to read a thousand rows one by one would be the larger
// part of the cost.

import type { CoveredInstance } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { DEFAULT_LEASE_MS } from '../settings/env.ts'
import { readFittingPage } from '../store/database/fitting-page.ts'
import { DATABASE_NOW, type Store } from '../store/database/open-store.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { toCoverage } from './coverage-record.ts'
import { toInstanceRecord } from './instance-record.ts'

/** Without names: to write those for each row takes the database twice as long as all the rest. */
const ROW = `json_array(
  instances.id, kind, name, company_id, handle, jid, profile_name, status, coalesce(hosts.lease_until, 0) > ${DATABASE_NOW},
  last_disconnect, last_disconnect_reason, delay_min, delay_max, instances.created_at, updated_at,
  json(coverage), iif(coverage ->> 'isMoving', coalesce(hosts.lease_until, 0), 0))`

type Row = [
  id: string,
  kind: InstanceRow['kind'],
  name: string,
  companyId: string,
  handle: string | null,
  jid: string,
  profileName: string,
  status: InstanceRow['status'],
  isLeased: 0 | 1,
  lastDisconnect: number,
  lastDisconnectReason: InstanceRow['lastDisconnectReason'],
  delayMin: number,
  delayMax: number,
  createdAt: number,
  updatedAt: number,
  coverage: InstanceRow['coverage'],
  leaseUntil: number,
]

/** Records of one read. */
const PAGE = 1000

const buildListing = (where: string) => `select group_concat(listed, ',') from (
  select ${ROW} as listed from instances left join hosts on hosts.id = host_id
  where (instances.created_at, instances.id) > (?1, ?2) ${where}
  order by instances.created_at, instances.id limit ?3)`
const ALL = buildListing('')
const OF_COMPANY = buildListing('and company_id = ?4')

/** While no row is written, leases can only end: as many leases are the same ones. */
const RUNNING_LEASES = `select count(*) from hosts where lease_until > ${DATABASE_NOW}`

/** The instance that a page begins behind. */
type Position = [createdAt: number, id: string]

const START: Position = [-1, '']

interface WrittenPage {
  /** Records with commas between them. */
  text: string
  count: number
  last: Position
}

/** By the text of their rows: who asks for the list again and again mostly gets the same. */
const writtenPages = new Map<string, WrittenPage>()
const MAX_WRITTEN = 16

function writePage(listed: string, leaseMs: number): WrittenPage {
  const known = writtenPages.get(listed)
  if (known) return known
  const rows = (JSON.parse(`[${listed}]`) as Row[]).map(nameColumns)
  const last = rows.at(-1)
  const page: WrittenPage = {
    text: rows.map((row) => JSON.stringify(toCoveredInstance(row, leaseMs))).join(),
    count: rows.length,
    last: last ? [last.createdAt, last.id] : START,
  }
  if (writtenPages.size >= MAX_WRITTEN) writtenPages.clear()
  writtenPages.set(listed, page)
  return page
}

const toCoveredInstance = (row: ReturnType<typeof nameColumns>, leaseMs: number): CoveredInstance => ({
  ...toInstanceRecord(row),
  coverage: toCoverage(row.coverage, row.leaseUntil - leaseMs),
})

function nameColumns([
  id,
  kind,
  name,
  companyId,
  handle,
  jid,
  profileName,
  status,
  isLeased,
  lastDisconnect,
  lastDisconnectReason,
  delayMin,
  delayMax,
  createdAt,
  updatedAt,
  coverage,
  leaseUntil,
]: Row) {
  return {
    id,
    kind,
    name,
    companyId,
    handle,
    jid,
    profileName,
    status,
    isLeased: isLeased === 1,
    lastDisconnect,
    lastDisconnectReason,
    delayMin,
    delayMax,
    createdAt,
    updatedAt,
    coverage,
    leaseUntil,
  }
}

/**
 * JSON as the API shows it, oldest first, in pages of records with commas between them. Instances that are created meanwhile come
 * last; one that is deleted meanwhile may be left out.
 */
export async function* listInstancePages(
  store: Store,
  companyId?: string,
  leaseMs = DEFAULT_LEASE_MS,
): AsyncGenerator<string> {
  const readPage = async (after: Position, limit: number) => {
    const args = [...after, limit]
    const query = companyId ? { sql: OF_COMPANY, args: [...args, companyId] } : { sql: ALL, args }
    const [found] = await store.readAll({ ...query, isLarge: true, changesWith: RUNNING_LEASES })
    return { limit, listed: found?.rows[0]?.[0] }
  }
  for (let after = START; ; ) {
    const { limit, listed } = await readFittingPage(PAGE, (fewer) => readPage(after, fewer))
    if (!listed) return
    const { text, count, last } = writePage(String(listed), leaseMs)
    yield text
    if (count < limit) return
    after = last
  }
}
