// `npm run restore`: restores a backup where there is no data yet, all of it or nothing. Its devices have to be linked again.

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DAY } from '@msgnet/shared/date-time.ts'
import { selectOwner } from '@msgnet/shared/db/select-owner.ts'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { type Side, sides } from '@msgnet/shared/seal-keys.ts'
import { restoreIntoFile } from './backups/file-target.ts'
import { loadRows, type RowTarget } from './backups/load-rows.ts'
import { type Backup, openBackup } from './backups/open-backup.ts'
import { type PendingRestore, rollBackAll } from './backups/pending-restore.ts'
import { restoreIntoServer } from './backups/server-target.ts'
import { assignOwner } from './data-folder/assign-owner.ts'
import { databasePath } from './data-folder/database-file.ts'
import { lockDataDir } from './data-folder/folder-lock.ts'
import { type EdgeSide, findLayout, type HostSide, type Layout, layoutOptions } from './data-folder/layout.ts'
import { restrictDataFolder } from './data-folder/restrict-folder.ts'
import { migrateEdge, migrateEdgeFile, migrateStore, migrateStoreFile } from './migrate.ts'

const options = {
  ...layoutOptions,
  from: { type: 'string' },
  check: { type: 'boolean' },
} as const

/**
 * A ratchet that is older than the network's state must never encrypt again, because it would use keys a second time. Its age
 * is unknown here, so none is restored: linked instances become `bad_session` and have to be linked again.
 */
const BAD_SESSION = "last_disconnect_reason = 'bad_session', last_disconnect = ?"
const UNLINKED = {
  edge: `update instances set previous_number = ${selectOwner('jid', 'previous_number')}, logged_in = 0, connected = 0, status = 'disconnected', jid = '', lid = '', pairing = null, rev = 0,
    ${BAD_SESSION} where jid <> ''`,
  host: `update sessions set wanted = 0, status = 'disconnected', jid = '', lid = '', ${BAD_SESSION} where jid <> ''`,
}

/** They may have been sent since the backup was made. A day too late, so that they are ended before the device is linked again. */
const ENDED = `update scheduled set ended = 'restored', due_at = due_at - ${DAY} where due_at <= ?`

async function runRestore(): Promise<void> {
  process.umask(0o077)
  const { values } = parseArgs({ options })
  const { from } = values
  if (!from || !existsSync(from))
    throw new OperatorError('The backup is missing: npm run restore -- --from backups/2026-11-22')
  const backup = await openBackup(from)
  try {
    const layout = await findLayout(values)
    for (const side of sides) requirePart(backup, layout, side)
    const { edge, host } = layout
    await backup.verifyParts({
      ...(edge && { edge: edge.sealKeys }),
      ...(host && backup.keys.host && { host: host.sealKeys }),
    })
    if (values.check) {
      await restoreForCheck(backup, layout)
      console.log(`The backup of ${backup.madeAt} can be restored. Nothing was changed.`)
      return
    }
    await restoreParts(backup, layout, values.folder === undefined)
    console.log(`Restored the backup of ${backup.madeAt}. Devices have to be linked again.`)
  } finally {
    await backup.close()
  }
}

/** No part of a backup is left out without an option. */
function requirePart({ keys }: Backup, layout: Layout, side: Side): void {
  const other = side === 'edge' ? 'host' : 'edge'
  if (layout[side] && !keys[side])
    throw new OperatorError(
      `The backup has no part of the ${side}: to restore the rest, use --only ${other}.`,
    )
}

/** Into a temporary folder, which is deleted afterwards. */
async function restoreForCheck(backup: Backup, { edge, host, from }: Layout): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'restore-'))
  const place = { DATA_DIR: folder, DATABASE_URL: undefined, SESSION_STORE_URL: undefined }
  const layout: Layout = { from }
  if (edge)
    layout.edge = {
      ...edge,
      settings: { ...edge.settings, ...place },
      file: databasePath(folder),
    }
  if (host)
    layout.host = {
      ...host,
      settings: { ...host.settings, ...place },
      file: join(folder, 'host', 'host.db'),
    }
  try {
    await restoreParts(backup, layout, true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `embedded`: into the one folder of `npm start`. */
async function restoreParts(backup: Backup, { edge, host }: Layout, embedded: boolean): Promise<void> {
  const locks: { release(): void }[] = []
  const pending: PendingRestore[] = []
  try {
    // On a server a side without a data folder has never run here.
    for (const dataDir of new Set([edge, host].flatMap((side) => side?.settings.DATA_DIR ?? [])))
      if (embedded || existsSync(dataDir)) locks.push(lockFolder(dataDir, embedded))
    if (host) pending.push(await restoreHost(backup, host))
    if (edge) pending.push(await restoreEdge(backup, edge))
    for (const one of pending) await one.finishRestore()
  } catch (error) {
    await rollBackAll(pending)
    throw error
  } finally {
    for (const lock of locks) lock.release()
  }
}

/** So that no gateway starts on the folder during the restore. */
function lockFolder(dataDir: string, embedded: boolean): { release(): void } {
  if (embedded) restrictDataFolder(dataDir)
  const lock = lockDataDir(dataDir)
  assignOwner(join(dataDir, 'lock'), dataDir)
  return lock
}

const loadPart = (backup: Backup, side: Side) => (target: RowTarget) =>
  backup.readPart(side, async (lines) => {
    await loadRows(lines, target)
    await target.runStatement(UNLINKED[side], Date.now())
    if (side === 'host') await target.runStatement(ENDED, Date.now())
  })

async function restoreHost(backup: Backup, { settings, file }: HostSide): Promise<PendingRestore> {
  const { SESSION_STORE_URL: url, SESSION_STORE_TOKEN: token } = settings
  if (!url) return restoreIntoFile(file, migrateStoreFile, loadPart(backup, 'host'))
  return restoreIntoServer({ url, token }, () => migrateStore({ url, token }), loadPart(backup, 'host'))
}

async function restoreEdge(backup: Backup, { settings, file }: EdgeSide): Promise<PendingRestore> {
  const { DATABASE_URL: url, DATABASE_TOKEN: token = '' } = settings
  if (url)
    return restoreIntoServer({ url, token }, () => migrateEdge({ url, token }), loadPart(backup, 'edge'))
  return restoreIntoFile(file, migrateEdgeFile, loadPart(backup, 'edge'))
}

await runCommand(() => withOperatorErrors(runRestore))
