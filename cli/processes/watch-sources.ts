// `npm run dev`: watches the sources, and restarts the parts that use a changed file.

import { execFile } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../build/root.ts'
import type { Part } from './part.ts'

const runProgram = promisify(execFile)

/** An editor writes a file in several steps, and saves several files at once. */
const DEBOUNCE_MS = 50

/** The parts that use the files of each folder. */
const partsByFolder: Record<string, string[]> = {
  edge: ['edge'],
  clients: ['edge'],
  console: ['edge'],
  openapi: ['edge'],
  'session-host': ['session host'],
  shared: ['edge', 'session host'],
  simulator: ['simulator'],
}

const entryFiles: Record<string, string> = {
  edge: 'edge/node/edge-process.ts',
  'session host': 'session-host/run-host.ts',
  simulator: 'simulator/run-simulator.ts',
}

/** `parts` are the running ones; `printLine` prints one line on the terminal. */
export function watchSources(parts: readonly Part[], printLine: (line: string) => void): { stop(): void } {
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let work = Promise.resolve()

  async function restartParts(): Promise<void> {
    const names = new Set([...changed].flatMap((folder) => partsByFolder[folder] ?? []))
    changed.clear()
    const affected = parts.filter(({ name }) => names.has(name))
    try {
      await Promise.all(affected.map(({ name }) => checkSources(name)))
      // In a new process, because this one has the old schemas loaded.
      if (names.has('edge')) await runProgram(process.execPath, [join(projectRoot, 'cli', 'build-pages.ts')])
      await Promise.all(affected.map((part) => part.restart()))
    } catch (error) {
      // A file in the middle of an edit may not compile; the next change tries again.
      printLine(`Not started again: ${(error as Error).message}`)
    }
  }

  const watchers = Object.keys(partsByFolder).map((folder) =>
    watch(join(projectRoot, folder), { recursive: true }, () => {
      changed.add(folder)
      clearTimeout(timer)
      timer = setTimeout(() => {
        work = work.then(restartParts)
      }, DEBOUNCE_MS)
    }),
  )
  return {
    stop() {
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/**
 * Checks that the sources of a part can be compiled, so that a running one is not stopped for a file in the middle of an
 * edit. Rejects with the compiler's message, which names the file and the line.
 */
async function checkSources(part: string): Promise<void> {
  const entry = entryFiles[part]
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
