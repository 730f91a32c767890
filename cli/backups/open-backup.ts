// Opens a backup for a restore: every byte is checked against its signature before the first row is read.

import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { type Side, sides } from '../../shared/seal-keys.ts'
import { OperatorError } from '../settings/gateway-settings.ts'
import { hashFile, openRegularFile, readArchive } from './archive.ts'
import { hasValidSignature, type Manifest, readManifest, toFileName } from './manifest.ts'
import { type Backup, requireKeyIds } from './open-parts.ts'
import { openUnsignedBackup } from './unsigned-backup.ts'

export async function openBackup(folder: string, allowUnsigned: boolean): Promise<Backup> {
  const manifest = await readManifest(folder)
  if ('format' in manifest) return openSignedBackup(folder, manifest)
  if (!allowUnsigned)
    throw new OperatorError(
      `${folder} is a backup of an earlier version, which did not sign it, so it may have been changed. If you trust it, use --unsigned.`,
    )
  return openUnsignedBackup(folder, manifest)
}

function openSignedBackup(folder: string, manifest: Manifest): Backup {
  const { madeAt, parts } = manifest
  const handles = new Map<Side, FileHandle>()
  const keys = Object.fromEntries(sides.flatMap((side) => (parts[side] ? [[side, parts[side].keys]] : [])))

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
    keys,
    async verifyParts(sealKeys) {
      requireKeyIds(keys, sealKeys)
      for (const side of sides) if (sealKeys[side] !== undefined) await verifyPart(side, sealKeys[side])
    },
    async readPart(side, use) {
      const [handle, part] = [handles.get(side), parts[side]]
      if (!handle || !part) throw new Error(`the part ${side} was not verified`)
      await readArchive(handle, part.sha256, use)
    },
    async close() {
      for (const handle of handles.values()) await handle.close()
    },
  }
}
