// Makes a host's files readable for its owner only, and puts its temporary files next to its store.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Uses `<dataDir>/host`. The library puts files of messages, also decrypted ones, into TMPDIR; files that a killed host
 * left there are deleted. Hosts that share a store may share this folder: each has its own subfolder.
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
    for (const name of readdirSync(temporary))
      if (!isProcessAlive(Number(name))) deleteFolder(join(temporary, name))
    mkdirSync(own, { recursive: true })
  } catch {
    // The disk is full or read-only: opening the store reports that.
  }
}

function deleteFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // Another user's, or in use: the next start tries again, and this host has a folder of its own.
  }
}

/** Whether another process has this id. This process has just started, so a folder with its own id is an old one. */
function isProcessAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return !hasEnded(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The id of a killed process stays in use until its parent has read its status, which takes a while if the parent was killed too. */
function hasEnded(pid: number): boolean {
  const status = `/proc/${pid}/stat`
  // Only Linux has this file.
  if (!existsSync(status)) return false
  // The state follows the name, which is in brackets and may have brackets in it.
  const [state] = readFileSync(status, 'utf8').split(') ').at(-1) ?? ''
  return state === 'Z' || state === 'X'
}
