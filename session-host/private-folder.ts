// What a host leaves on disk is its owner's alone, and files on their way lie beside its store, not in the system's temporary folder.

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes `<dataDir>/host`. The library puts files of messages, in the clear too, where TMPDIR says; what a host that was
 * killed has left there goes. Hosts that share a store may share this folder: each has a part of its own.
 */
export function usePrivateFolder(dataDir: string): void {
  process.umask(0o077)
  const folder = join(dataDir, 'host')
  const temporary = join(folder, 'tmp')
  const own = join(temporary, String(process.pid))
  process.env.TMPDIR = own
  try {
    if (existsSync(folder)) chmodSync(folder, 0o700)
    mkdirSync(temporary, { recursive: true })
    for (const name of readdirSync(temporary)) {
      if (!lives(Number(name))) rmSync(join(temporary, name), { recursive: true, force: true })
    }
    mkdirSync(own)
  } catch {
    // A disk that is full or read-only: the store says so.
  }
}

/** Another process of that number: this one has only begun, so what has its number is from before. */
function lives(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}
