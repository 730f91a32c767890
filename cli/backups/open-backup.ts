// Opens a backup for a restore: every byte is checked against its signature before the first row is read.

import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { type Side, sides } from '@msgnet/shared/seal-keys.ts'
import { listKeyIds } from '../data-folder/run-record.ts'
import { hashFile, openRegularFile, readArchive } from './archive.ts'
import { hasValidSignature, readManifest, toFileName } from './manifest.ts'
import type { Line } from './read-rows.ts'

export type Backup = Awaited<ReturnType<typeof openBackup>>

export async function openBackup(folder: string) {
  const manifest = await readManifest(folder)
  const { madeAt, parts } = manifest
  const handles = new Map<Side, FileHandle>()
  const keys: Partial<Record<Side, string[]>> = Object.fromEntries(
    sides.flatMap((side) => (parts[side] ? [[side, parts[side].keys]] : [])),
  )

  async function verifyPart(side: Side, sealKeys: string): Promise<void> {
    const part = parts[side]
    if (!part) return
    if (!(await hasValidSignature(sealKeys, side, manifest, part)))
      throw new OperatorError(
        `The key "${part.keys[0]}" is not the one that signed ${folder}, or its manifest was changed.`,
      )
    const file = join(folder, toFileName(side))
    const handle = await openRegularFile(file)
    handles.set(side, handle)
    const { size } = await handle.stat()
    if (size !== part.bytes || (await hashFile(handle)) !== part.sha256)
      throw new OperatorError(
        `${file} is not as it was when the backup was made: it is damaged, or was changed.`,
      )
  }

  return {
    madeAt,
    /** The parts that it has, and the names of the keys that open what is sealed in each. */
    keys,
    /** Checks all files and leaves them open. Throws an OperatorError for a missing key, or a file that is not as it was signed. */
    async verifyParts(sealKeys: Partial<Record<Side, string>>): Promise<void> {
      requireKeyIds(keys, sealKeys)
      for (const side of sides) if (sealKeys[side] !== undefined) await verifyPart(side, sealKeys[side])
    },
    /** Passes all rows of a part to `use`. */
    async readPart(side: Side, use: (lines: AsyncIterable<Line>) => Promise<void>): Promise<void> {
      const [handle, part] = [handles.get(side), parts[side]]
      if (!handle || !part) throw new Error(`the part ${side} was not verified`)
      await readArchive(handle, part.sha256, use)
    },
    async close(): Promise<void> {
      for (const handle of handles.values()) await handle.close()
    },
  }
}

/** Checked before anything is written: without its keys most of a backup is of no use. */
function requireKeyIds(keys: Partial<Record<Side, string[]>>, sealKeys: Partial<Record<Side, string>>): void {
  const missing = sides.flatMap((side) => {
    const list = sealKeys[side]
    return list === undefined ? [] : (keys[side] ?? []).filter((name) => !listKeyIds(list).includes(name))
  })
  if (missing.length > 0)
    throw new OperatorError(
      `These keys are missing: ${[...new Set(missing)].join(', ')}. Add them before you restore.`,
    )
}
