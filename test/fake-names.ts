// Host names that resolve as a test says, for a process and its children: an /etc/hosts that no other process sees.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const ALONE = ['unshare', '--map-root-user', '--mount']

/** A mount namespace of one's own is not to be had everywhere: inside some containers it is forbidden. */
export function canFakeNames(): boolean {
  try {
    execFileSync('unshare', [...ALONE.slice(1), 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The command to put before another so that these names resolve to these addresses. `file` must exist while it runs. */
export function writeHostsFile(names: Record<string, string>, file: string): string[] {
  const lines = Object.entries(names).map(([name, address]) => `${address} ${name}\n`)
  writeFileSync(file, readFileSync('/etc/hosts', 'utf8') + lines.join(''))
  return [...ALONE, 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', file]
}

/** The command to put before another so that it asks the name servers of this file, of the form of /etc/resolv.conf. */
export const buildResolverCommand = (file: string): string[] => [
  ...ALONE,
  'sh',
  '-c',
  'mount --bind "$0" /etc/resolv.conf && exec "$@"',
  file,
]
