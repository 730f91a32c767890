// Evolution API 2: accounts and credentials in its Postgres, keys beside it. Everything is read in transactions that may not write.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import postgres from 'postgres-js'
import { type KeyStore, openKeys } from './evolution-keys.ts'
import { EvolutionRow, readStoredCreds, translateSettings } from './evolution-rows.ts'
import { readLinkedDevice } from './linked-device.ts'
import type { MovingAccount, MovingSource, StoredRow } from './moving-source.ts'

const CONNECT_WITHIN_S = 10
/** Of the others the network's own interface is used, or nothing is linked. */
const LINKED_DEVICES = 'WHATSAPP-BAILEYS'

/** `url`: its DATABASE_CONNECTION_URI, with the `schema` that it has there. */
export async function openEvolution(url: string, keysPlace: string | undefined): Promise<MovingSource> {
  const address = URL.parse(url)
  if (address?.protocol === 'mysql:')
    throw new OperatorError(
      'evolution: reads Postgres only: the accounts of an Evolution API with MySQL are linked anew by a code.',
    )
  if (!address || !/^postgres(ql)?:$/.test(address.protocol))
    throw new OperatorError(
      'evolution: takes the URL of its Postgres: evolution:postgres://USER:PASSWORD@HOST/DATABASE.',
    )
  const name = `${address.host}${address.pathname}`
  const database = new EvolutionDatabase(address)
  const keys = await openKeys(keysPlace)
  return {
    name: `evolution:${name}`,
    async listAccounts() {
      const [rows, others] = await database.readRows().catch((error: Error) => {
        throw new OperatorError(`The database of Evolution API at ${name} cannot be read: ${error.message}.`)
      })
      return Promise.all(rows.map((row) => readAccount(row, others, keys)))
    },
    async close() {
      await keys?.close()
      await database.close()
    },
  }
}

class EvolutionDatabase {
  readonly #sql: postgres.Sql
  readonly #schema: string

  constructor(address: URL) {
    this.#schema = address.searchParams.get('schema') ?? 'public'
    const mode = address.searchParams.get('sslmode')
    const plain = new URL(address)
    // Its other parameters are for another library, and the server would refuse them.
    plain.search = mode ? `?sslmode=${mode}` : ''
    // Poolers between here and the server know no prepared statements.
    this.#sql = postgres(plain.href, { max: 1, prepare: false, connect_timeout: CONNECT_WITHIN_S })
  }

  /** With the number of other programs that are connected. */
  readRows(): Promise<[EvolutionRow[], number]> {
    return this.#sql.begin('isolation level repeatable read read only', async (sql) => {
      await sql`SELECT set_config('search_path', ${`"${this.#schema.replaceAll('"', '""')}"`}, true)`
      const rows = await sql`
        SELECT to_jsonb(i) AS instance, s.creds, to_jsonb(w) AS webhook, to_jsonb(c) AS setting, to_jsonb(p) AS proxy
        FROM "Instance" i
        LEFT JOIN "Session" s ON s."sessionId" = i.id
        LEFT JOIN "Webhook" w ON w."instanceId" = i.id
        LEFT JOIN "Setting" c ON c."instanceId" = i.id
        LEFT JOIN "Proxy" p ON p."instanceId" = i.id
        ORDER BY i.name`
      const [others] = await sql`
        SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL`
      return [rows.map((row) => EvolutionRow.parse(row)), Number(others?.count ?? 0)]
    }) as Promise<[EvolutionRow[], number]>
  }

  close(): Promise<void> {
    return this.#sql.end()
  }
}

async function readAccount(
  row: EvolutionRow,
  others: number,
  keys: KeyStore | undefined,
): Promise<MovingAccount> {
  const { id, name, connectionStatus, integration, updatedAt } = row.instance
  const [inDatabase, inStore] = [readStoredCreds(row.creds), await keys?.readCreds(id)]
  const creds = inDatabase ?? inStore
  const count = (await keys?.countKeys(id)) ?? 0
  const device = readLinkedDevice(creds, count + 1)
  return {
    id,
    name,
    ...device,
    rows: creds ? count + 1 : count,
    lastUse: updatedAt ? new Date(`${updatedAt}Z`) : device.lastUse,
    obstacle: findObstacle(integration, device.obstacle, keys !== undefined, Boolean(inDatabase && inStore)),
    inUse: connectionStatus === 'close' ? undefined : describeUse(connectionStatus, others),
    ...translateSettings(row),
    readRows: () => readRows(creds ?? '', keys?.readKeys(id)),
  }
}

function findObstacle(
  integration: string | null | undefined,
  obstacle: string | undefined,
  hasKeys: boolean,
  isTwice: boolean,
): string | undefined {
  if (integration && integration !== LINKED_DEVICES) return `is no linked device, but ${integration}`
  if (isTwice) return 'has a credential in Postgres and another in Redis, of which one is old'
  // The keys are never in the database.
  return hasKeys
    ? obstacle
    : 'its keys are elsewhere: name the place with --keys redis://… or --keys folder:…/instances'
}

/** A gateway that was killed leaves the state as it was. */
const describeUse = (status: string, others: number): string =>
  `its state is ${status}, and ${others === 0 ? 'no program is' : `${others} programs are`} connected to its database`

async function* readRows(
  creds: string,
  keys: AsyncIterable<StoredRow> | undefined,
): AsyncGenerator<StoredRow> {
  yield { name: 'creds', json: creds }
  if (keys) yield* keys
}
