// The data folders that releases have left, kept beside this file.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What was in use when the folder was left. */
export interface ReleaseFacts {
  version: string
  /** Digits of the linked account, and of somebody it wrote with. */
  account: string
  friend: string
  /** The id of its group. */
  group: string
  /** Of the instance. */
  token: string
  /** Of an admin, scope `read`. */
  adminToken: string
}

const ENDING = '.tar.gz'

export const findFolder = (version: string): string => join(import.meta.dirname, `${version}${ENDING}`)

export const listReleases = (): string[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))

/** Puts the data folder at `data` in `target`. */
export function openFolder(version: string, target: string): ReleaseFacts {
  execFileSync('tar', ['--extract', '--file', findFolder(version), '--directory', target])
  return JSON.parse(readFileSync(join(target, 'facts.json'), 'utf8')) as ReleaseFacts
}
