// Finds the databases that a command works on: those in the folder of `npm start`, or those of a server by the folder with its settings.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { Side } from '@msgnet/shared/seal-keys.ts'
import { readKeys } from '../keys/gateway-secrets.ts'
import { readSettings, type Settings } from '../settings/gateway-settings.ts'
import { databasePath } from './database-file.ts'
import { type RunRecord, readRun } from './run-record.ts'

/** Options of every command that uses a layout. */
export const layoutOptions = {
  folder: { type: 'string' },
  data: { type: 'string', default: '/var/lib/msgnet' },
  only: { type: 'string' },
} as const

export interface LayoutChoice {
  /** The folder with edge.env and host.env; without it the environment and its DATA_DIR count. */
  folder?: string | undefined
  /** On a server: the folder with the folders edge and host. */
  data: string
  /** `edge` or `host`. */
  only?: string | undefined
}

export interface EdgeSide {
  settings: Settings
  sealKeys: string
  /** Its own database; unused where DATABASE_URL names a server. */
  file: string
}

export interface HostSide {
  settings: Settings
  /** The first seals, all of them open. */
  sealKeys: string
  /** Its own store; unused where SESSION_STORE_URL names a server. */
  file: string
}

export interface Layout {
  edge?: EdgeSide
  host?: HostSide
  /** The gateway of `npm start` on the folder, if one runs. */
  run?: RunRecord | undefined
  /** Where the settings are from, for sentences. */
  from: string
}

/** Throws an OperatorError if a side that was not excluded by `only` has no settings. */
export async function findLayout({ folder, data, only }: LayoutChoice): Promise<Layout> {
  if (only !== undefined && only !== 'edge' && only !== 'host')
    throw new OperatorError('--only takes edge or host.')
  const layout = folder === undefined ? await findFolderLayout() : await findServerLayout(folder, data, only)
  if (only === 'edge') delete layout.host
  if (only === 'host') delete layout.edge
  return layout
}

const toStorePath = ({ DATA_DIR }: Settings) => join(DATA_DIR, 'host', 'host.db')

async function findFolderLayout(): Promise<Layout> {
  const settings = readSettings(process.env)
  const run = readRun(settings.DATA_DIR)
  const { sealKeys, hostSealKeys } = await readKeys(settings)
  return {
    edge: { settings, sealKeys, file: databasePath(settings.DATA_DIR) },
    host: { settings, sealKeys: hostSealKeys, file: toStorePath(settings) },
    run,
    from: settings.DATA_DIR,
  }
}

async function findServerLayout(folder: string, data: string, only: string | undefined): Promise<Layout> {
  const layout: Layout = { from: folder }
  for (const side of ['edge', 'host'] as const) {
    if (only !== undefined && only !== side) continue
    const settings = readSideSettings(folder, data, side)
    const { sealKeys, hostSealKeys } = await readKeys(settings)
    if (side === 'edge') layout.edge = { settings, sealKeys, file: databasePath(settings.DATA_DIR) }
    else layout.host = { settings, sealKeys: hostSealKeys, file: toStorePath(settings) }
  }
  return layout
}

/** An environment file, with the data folder that the unit of this side has. */
function readSideSettings(folder: string, data: string, side: Side): Settings {
  const file = join(folder, `${side}.env`)
  const other = side === 'edge' ? 'host' : 'edge'
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const hint =
      code === 'ENOENT' && existsSync(join(folder, `${other}.env`))
        ? ` If this machine has no ${side}, use --only ${other}.`
        : ''
    throw new OperatorError(`${file} cannot be read (${code}).${hint}`)
  }
  return readSettings({ DATA_DIR: join(data, side), ...parseEnv(text) })
}

/** Throws an OperatorError if the edge has no database. */
export function requireDatabase({ settings, file }: EdgeSide): void {
  if (settings.DATABASE_URL || existsSync(file)) return
  throw new OperatorError(
    `There is no database at ${file}. For a server of units or containers, name the folder of its settings: --folder /etc/msgnet. If this machine has no edge, use --only host.`,
  )
}

/** Throws an OperatorError if there is no store of a host, because a command must not leave one out without an option. */
export function requireStore({ settings, file }: HostSide): void {
  if (!settings.SESSION_STORE_URL && !existsSync(file))
    throw new OperatorError(
      `There is no host's store at ${file}. If this machine has no host, use --only edge.`,
    )
}

/** Throws an OperatorError if a side has no keys. */
export function requireKeys({ edge, host, from }: Layout): void {
  if (edge && !edge.sealKeys)
    throw new OperatorError(
      `There are no seal keys in ${from}: set DATA_DIR to the folder of the gateway, or SEAL_KEYS.`,
    )
  if (host && !host.sealKeys)
    throw new OperatorError(
      `There are no seal keys of a host in ${from}: set DATA_DIR to the folder of the gateway, or HOST_SEAL_KEYS.`,
    )
}
