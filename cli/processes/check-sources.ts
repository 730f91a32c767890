// Checks that the sources of a part can be compiled, so that a running one is not stopped for a file in the middle of an edit.

import { join } from 'node:path'
import { projectRoot } from '../build/root.ts'

const entries: Record<string, string> = {
  edge: 'edge/node/edge-process.ts',
  'session host': 'session-host/run-host.ts',
  simulator: 'simulator/run-simulator.ts',
}

/** Rejects with the compiler's message, which names the file and the line. */
export async function checkSources(part: string): Promise<void> {
  const entry = entries[part]
  if (!entry) return
  const { build } = await import('esbuild')
  await build({
    entryPoints: [join(projectRoot, entry)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  })
}
