// Gives files that root writes into a data folder to the owner of that folder, so that its gateway can read them.

import { chownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Gives a file, or a folder with all in it, to the owner of `folder`. Only root can; others own what they write. */
export function assignOwner(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = lstatSync(folder)
  assignAll(path)

  function assignAll(entry: string): void {
    const found = lstatSync(entry)
    if (found.isSymbolicLink()) return
    chownSync(entry, uid, gid)
    if (found.isDirectory()) for (const name of readdirSync(entry)) assignAll(join(entry, name))
  }
}
