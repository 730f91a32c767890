// The edge as one file for the Workers runtime, made anew when what it is made of has changed.

import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintOf } from './fingerprint.ts'

export const projectRoot = join(import.meta.dirname, '..', '..')
export const bundledEdge = join(projectRoot, '.build', 'edge.js')

/** `sourceMaps`: in the bundle itself, for whoever debugs it. `described`: the API's document is made anew, too. */
export async function bundleEdge({ sourceMaps = false, described = true } = {}): Promise<string> {
  // Taken before anything is read: what changes meanwhile makes another one.
  const mark = `// ${fingerprintOf(projectRoot)} ${sourceMaps}${described ? '' : ' described before'}`
  if (described && bears(bundledEdge, mark)) return bundledEdge
  // What makes it is loaded only then: that takes longer than to find out whether it must be.
  const { makeBundle } = await import('./make-bundle.ts')
  await makeBundle(projectRoot, bundledEdge, { sourceMaps, described, mark })
  return bundledEdge
}

/** Whether it is the first line of this file. In the file itself, because starts run side by side. */
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
