// Bundles the edge into one file for the Workers runtime, again when one of its sources has changed.

import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintOf } from './fingerprint.ts'

export const projectRoot = join(import.meta.dirname, '..', '..')
export const bundledEdge = join(projectRoot, '.build', 'edge.js')

/** `sourceMaps`: put into the bundle, for debugging. `described`: also writes the API's document again. */
export async function bundleEdge({ sourceMaps = false, described = true } = {}): Promise<string> {
  // Computed before anything is read, so that a change meanwhile gives another fingerprint.
  const mark = `// ${fingerprintOf(projectRoot)} ${sourceMaps}${described ? '' : ' described before'}`
  if (described && bears(bundledEdge, mark)) return bundledEdge
  // The bundler is loaded only when it is needed, because that takes longer than this check.
  const { makeBundle } = await import('./make-bundle.ts')
  await makeBundle(projectRoot, bundledEdge, { sourceMaps, described, mark })
  return bundledEdge
}

/** Whether it is the first line of this file. It is in the file itself because several starts may run at the same time. */
export function bears(file: string, mark: string): boolean {
  const line = Buffer.from(`${mark}\n`)
  const head = Buffer.alloc(line.length)
  try {
    const opened = openSync(file, 'r')
    readSync(opened, head)
    closeSync(opened)
  } catch {
    return false
  }
  return head.equals(line)
}
