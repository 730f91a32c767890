// Finds what a command works on: the one folder of `npm start`, or the parts of a server by the folder with its settings.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Side } from '../../shared/seal-keys.ts'
import { readKeys } from '../keys/secrets.ts'
import { type DatabaseAccess, databaseToken, keepDatabaseKey } from '../parts/database.ts'
import { Complaint, readSettings, type Settings } from '../settings/settings.ts'
import { type Run, readRun } from './running.ts'

/** Options of every command that uses a layout. */
export const layoutOptions = {
  folder: { type: 'string' },
  data: { type: 'string', default: '/var/lib/msgnet' },
  only: { type: 'string' },
} as const

export interface LayoutChoice {
  /** The folder with edge.env and host.env; without it the environment and its DATA_DIR count. */
  folder?: string | undefined
  /** On a server: the folder with the folders edge, host and database. */
  data: string
  /** `edge` or `host`. */
  only?: string | undefined
}

export interface EdgeSide {
  settings: Settings
  sealKeys: string
  /** Undefined if the database is embedded in a gateway that does not run. */
  database: DatabaseAccess | undefined
  /** The database server's own folder, if it may be on this machine. */
  databaseDir: string
}

export interface HostSide {
  settings: Settings
  /** The first seals, all of them open. */
  sealKeys: string
  /** Keys that sealed before keys had purposes. */
  formerKeys: string
  /** Its own store; unused where SESSION_STORE_URL names a server. */
  file: string
}

export interface Layout {
  edge?: EdgeSide
  host?: HostSide
  /** The gateway of `npm start` on the folder, if one runs. */
  run?: Run | undefined
  /** Where the settings are from, for sentences. */
  from: string
}

/** Throws a Complaint if a side that was not excluded by `only` has no settings. */
export async function findLayout({ folder, data, only }: LayoutChoice): Promise<Layout> {
  if (only !== undefined && only !== 'edge' && only !== 'host')
    throw new Complaint('--only takes edge or host.')
  const layout = folder === undefined ? await findFolder() : await findServer(folder, data, only)
  if (only === 'edge') delete layout.host
  if (only === 'host') delete layout.edge
  return layout
}

const storeFile = ({ DATA_DIR }: Settings) => join(DATA_DIR, 'host', 'host.db')

async function findFolder(): Promise<Layout> {
  const settings = readSettings(process.env)
  const run = readRun(settings.DATA_DIR)
  const { sealKeys, hostSealKeys } = await readKeys(settings)
  const database = settings.DATABASE_URL
    ? { url: settings.DATABASE_URL, token: settings.DATABASE_TOKEN ?? '' }
    : run && accessOwn(settings, run)
  return {
    edge: { settings, sealKeys, database, databaseDir: join(settings.DATA_DIR, 'database') },
    host: { settings, sealKeys: hostSealKeys, formerKeys: sealKeys, file: storeFile(settings) },
    run,
    from: settings.DATA_DIR,
  }
}

/** The database that a gateway on the folder made. */
const accessOwn = ({ DATA_DIR }: Settings, { databaseUrl: url }: Run): DatabaseAccess => ({
  url,
  token: url.startsWith('file:') ? '' : databaseToken(keepDatabaseKey(DATA_DIR)),
})

async function findServer(folder: string, data: string, only: string | undefined): Promise<Layout> {
  const layout: Layout = { from: folder }
  for (const side of ['edge', 'host'] as const) {
    if (only !== undefined && only !== side) continue
    const settings = readSide(folder, data, side)
    const { sealKeys, hostSealKeys } = await readKeys(settings)
    if (side === 'edge') layout.edge = { settings, sealKeys, ...findServerDatabase(settings, folder, data) }
    else layout.host = { settings, sealKeys: hostSealKeys, formerKeys: sealKeys, file: storeFile(settings) }
  }
  return layout
}

function findServerDatabase({ DATABASE_URL, DATABASE_TOKEN }: Settings, folder: string, data: string) {
  if (!DATABASE_URL) throw new Complaint(`${join(folder, 'edge.env')} has no DATABASE_URL.`)
  return { database: { url: DATABASE_URL, token: DATABASE_TOKEN ?? '' }, databaseDir: join(data, 'database') }
}

/** An environment file, with the data folder that the unit of this side has. */
function readSide(folder: string, data: string, side: Side): Settings {
  const file = join(folder, `${side}.env`)
  const other = side === 'edge' ? 'host' : 'edge'
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const hint =
      code === 'ENOENT' && existsSync(join(folder, `${other}.env`))
        ? ` If this machine has no ${side}, say --only ${other}.`
        : ''
    throw new Complaint(`${file} cannot be read (${code}).${hint}`)
  }
  return readSettings({ DATA_DIR: join(data, side), ...parseEnv(text) })
}

/** Throws a Complaint if the database cannot be reached through anything. */
export function needDatabase({ from }: Layout, { database }: EdgeSide): DatabaseAccess {
  if (database) return database
  throw new Complaint(
    `No gateway of npm start runs on ${from}, and its database is reached through one. Start it; or, for a server of units or containers, name the folder of its settings: --folder /etc/msgnet.`,
  )
}

/** Throws a Complaint if there is no store of a host, because a command must not leave one out unasked. */
export function needStore({ settings, file }: HostSide): void {
  if (!settings.SESSION_STORE_URL && !existsSync(file))
    throw new Complaint(`There is no host's store at ${file}. If this machine has no host, say --only edge.`)
}

/** Throws a Complaint if a side has no keys. */
export function needKeys({ edge, host, from }: Layout): void {
  if (edge && !edge.sealKeys)
    throw new Complaint(
      `There are no seal keys in ${from}: set DATA_DIR to the folder of the gateway, or SEAL_KEYS.`,
    )
  if (host && !host.sealKeys)
    throw new Complaint(
      `There are no seal keys of a host in ${from}: set DATA_DIR to the folder of the gateway, or HOST_SEAL_KEYS.`,
    )
}
