// `npm run backup`: copies the rows of the database and of the host's store into a new folder while the gateway runs; keys are named, not copied.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Side, sides } from '../shared/seal-keys.ts'
import { writeArchive } from './backups/archive.ts'
import { openDatabase, openStore, type Source } from './backups/databases.ts'
import { NOT_COPIED } from './backups/load-rows.ts'
import { MANIFEST, type Manifest, type Part, partFile, signPart } from './backups/manifest.ts'
import { readRows } from './backups/rows.ts'
import { recordBackup } from './data-folder/last-backup.ts'
import {
  findLayout,
  type Layout,
  layoutOptions,
  needDatabase,
  needKeys,
  needStore,
} from './data-folder/layout.ts'
import { keyNames } from './data-folder/running.ts'
import { runCommand } from './settings/command.ts'
import { withSentences } from './settings/faults.ts'
import { Complaint } from './settings/settings.ts'

const options = {
  ...layoutOptions,
  to: { type: 'string' },
  into: { type: 'string' },
  keep: { type: 'string' },
} as const

/** The names that `--into` gives, in the order of time. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/

async function main(): Promise<void> {
  process.umask(0o077)
  const { values } = parseArgs({ options })
  const { into, keep } = values
  const madeAt = new Date().toISOString()
  const to = values.to ?? (into && join(into, madeAt.replace(/\.\d+/, '').replaceAll(':', '-')))
  if (!to) throw new Complaint('Say where to: npm run backup -- --to backups/2026-11-22')
  if (keep !== undefined && (!into || !/^[1-9]\d*$/.test(keep)))
    throw new Complaint('--keep takes the number of backups that stay in the folder of --into.')
  if (existsSync(to)) throw new Complaint(`${to} is there already: a backup has a folder of its own.`)
  const layout = await findLayout(values)
  if (layout.edge) needDatabase(layout.edge)
  needKeys(layout)
  if (layout.host) needStore(layout.host)

  const manifest = await writeBackup(layout, to, madeAt)
  const covers = sides.filter((side) => layout[side])
  // A data folder may be on another machine.
  for (const dataDir of new Set(covers.flatMap((side) => layout[side]?.settings.DATA_DIR ?? [])))
    if (existsSync(dataDir)) recordBackup(dataDir, new Date(madeAt), covers)
  const parts = sides.flatMap((side) => manifest.parts[side] ?? [])
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const of = layout.host ? (layout.edge ? ' and the host’s store are' : ' of the host’s store are') : ' are'
  console.log(`${rows} rows${of} in ${to}.`)
  const keys = parts.flatMap((part) => part.keys)
  console.log(`Keep these keys elsewhere: ${[...new Set(keys)].join(', ')}.`)
  if (!layout.edge) console.log('The edge’s database is not in it, as --only host says.')
  if (!layout.host) console.log('No store of a host is in it, as --only edge says.')
  if (into && keep) removeOlder(into, Number(keep))
}

/** The folder appears when it is complete. */
async function writeBackup(layout: Layout, to: string, madeAt: string): Promise<Manifest> {
  const stage = `${to}.partial-${process.pid}`
  const manifest: Manifest = { format: 2, id: crypto.randomUUID(), madeAt, parts: {} }
  const write = async (side: Side, source: Source, sealKeys: string) => {
    try {
      const lines = readRows(source.ask, side === 'host' ? NOT_COPIED : [])
      const written = await writeArchive(join(stage, partFile(side)), lines)
      const part: Omit<Part, 'hmac'> = { ...written, keys: keyNames(sealKeys) }
      manifest.parts[side] = { ...part, hmac: await signPart(sealKeys, side, manifest, part) }
    } finally {
      source.close()
    }
  }
  try {
    mkdirSync(stage, { recursive: true, mode: 0o700 })
    // The host first: events that leave its outbox after its copy are in the database before that is copied.
    if (layout.host) await write('host', await openStore(layout.host), layout.host.sealKeys)
    if (layout.edge) await write('edge', await openDatabase(layout.edge), layout.edge.sealKeys)
    writeFileSync(join(stage, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
    renameSync(stage, to)
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    throw error
  }
  return manifest
}

function removeOlder(into: string, keep: number): void {
  const complete = readdirSync(into)
    .filter((name) => NAME.test(name) && existsSync(join(into, name, MANIFEST)))
    .sort()
  for (const name of complete.slice(0, -keep)) {
    rmSync(join(into, name), { recursive: true })
    console.log(`Removed ${join(into, name)}: --keep ${keep}.`)
  }
}

await runCommand(() => withSentences(main))
