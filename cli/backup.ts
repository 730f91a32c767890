// `npm run backup`: copies the rows of the database and of the host's store into a new folder while the gateway runs; keys are named, not copied.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { HOUR } from '@msgnet/shared/date-time.ts'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { type Side, sides } from '@msgnet/shared/seal-keys.ts'
import { writeArchive } from './backups/archive.ts'
import { NOT_COPIED } from './backups/load-rows.ts'
import { FORMAT, MANIFEST, type Manifest, type Part, signPart, toFileName } from './backups/manifest.ts'
import { readRows } from './backups/read-rows.ts'
import { openDatabaseSource, openStoreSource, type RowSource } from './backups/row-sources.ts'
import { recordBackup } from './data-folder/last-backup.ts'
import {
  findLayout,
  type Layout,
  layoutOptions,
  requireDatabase,
  requireKeys,
  requireStore,
} from './data-folder/layout.ts'
import { listKeyIds } from './data-folder/run-record.ts'

const options = {
  ...layoutOptions,
  to: { type: 'string' },
  into: { type: 'string' },
  keep: { type: 'string' },
} as const

/** The names that `--into` gives, in the order of time. */
const BACKUP_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/
/** What follows it while a process writes it, and once that was killed. */
const STAGE_ENDING = /\.partial-\d+$/
/** Another machine may write one now. */
const ABANDONED_MS = 12 * HOUR

async function runBackup(): Promise<void> {
  process.umask(0o077)
  const { values } = parseArgs({ options })
  const { into, keep } = values
  const madeAt = new Date().toISOString()
  const to = values.to ?? (into && join(into, madeAt.replace(/\.\d+/, '').replaceAll(':', '-')))
  if (!to) throw new OperatorError('The target is missing: npm run backup -- --to backups/2026-11-22')
  if (keep !== undefined && (!into || !/^[1-9]\d*$/.test(keep)))
    throw new OperatorError('--keep takes the number of backups that stay in the folder of --into.')
  if (existsSync(to)) throw new OperatorError(`${to} exists already: each backup needs a new folder.`)
  const layout = await findLayout(values)
  if (layout.edge) requireDatabase(layout.edge)
  requireKeys(layout)
  if (layout.host) requireStore(layout.host)
  if (into) deleteAbandonedStages(into)

  const manifest = await writeBackup(layout, to, madeAt)
  const covers = sides.filter((side) => layout[side])
  // A data folder may be on another machine.
  for (const dataDir of new Set(covers.flatMap((side) => layout[side]?.settings.DATA_DIR ?? [])))
    if (existsSync(dataDir)) recordBackup(dataDir, new Date(madeAt), covers)
  const parts = sides.flatMap((side) => manifest.parts[side] ?? [])
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const scope = layout.host
    ? layout.edge
      ? ' and the host’s store are'
      : ' of the host’s store are'
    : ' are'
  console.log(`${rows} rows${scope} in ${to}.`)
  const keys = parts.flatMap((part) => part.keys)
  console.log(`Store these keys elsewhere: ${[...new Set(keys)].join(', ')}.`)
  if (!layout.edge) console.log('The edge’s database is not in it, because of --only host.')
  if (!layout.host) console.log('No store of a host is in it, because of --only edge.')
  if (into && keep) deleteOlderBackups(into, Number(keep))
}

/** The folder appears when it is complete. */
async function writeBackup(layout: Layout, to: string, madeAt: string): Promise<Manifest> {
  const stage = `${to}.partial-${process.pid}`
  deleteOnSignal(stage)
  const manifest: Manifest = { format: FORMAT, id: crypto.randomUUID(), madeAt, parts: {} }
  const writePart = async (side: Side, source: RowSource, sealKeys: string) => {
    try {
      const lines = readRows(source.query, side === 'host' ? NOT_COPIED : [])
      const written = await writeArchive(join(stage, toFileName(side)), lines)
      const part: Omit<Part, 'hmac'> = { ...written, keys: listKeyIds(sealKeys) }
      manifest.parts[side] = { ...part, hmac: await signPart(sealKeys, side, manifest, part) }
    } finally {
      source.close()
    }
  }
  try {
    mkdirSync(stage, { recursive: true, mode: 0o700 })
    // The host first: events that leave its outbox after its copy are in the database before that is copied.
    if (layout.host) await writePart('host', await openStoreSource(layout.host), layout.host.sealKeys)
    if (layout.edge) await writePart('edge', await openDatabaseSource(layout.edge), layout.edge.sealKeys)
    writeFileSync(join(stage, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
    renameSync(stage, to)
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    throw error
  }
  return manifest
}

function deleteOnSignal(stage: string): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      rmSync(stage, { recursive: true, force: true })
      console.error(`${signal}: nothing is left of this backup.`)
      process.exit(1)
    })
}

function deleteAbandonedStages(into: string): void {
  const names = existsSync(into) ? readdirSync(into) : []
  for (const name of names.filter((one) => BACKUP_NAME.test(one.replace(STAGE_ENDING, '')))) {
    const path = join(into, name)
    if (!STAGE_ENDING.test(name) || Date.now() - statSync(path).mtimeMs < ABANDONED_MS) continue
    rmSync(path, { recursive: true, force: true })
    console.log(`Removed ${path}: the backup that wrote it was killed.`)
  }
}

function deleteOlderBackups(into: string, keep: number): void {
  const complete = readdirSync(into)
    .filter((name) => BACKUP_NAME.test(name) && existsSync(join(into, name, MANIFEST)))
    .sort()
  for (const name of complete.slice(0, -keep)) {
    rmSync(join(into, name), { recursive: true })
    console.log(`Removed ${join(into, name)}: --keep ${keep}.`)
  }
}

await runCommand(() => withOperatorErrors(runBackup))
