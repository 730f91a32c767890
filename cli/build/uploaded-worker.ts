// The modules that `npm run deploy` would upload: where `npm run build:cloudflare` puts them, and their build at a start that needs them.

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { projectRoot } from './root.ts'

const uploadedWorker = join(projectRoot, '.build', 'cloudflare', 'worker.js')

export const isWorkerBuilt = (): boolean => existsSync(uploadedWorker)

export interface WorkerModule {
  type: 'ESModule'
  /** Its file name, by which the others import it. */
  path: string
  contents: string
}

/** All of them, the entry first, as Miniflare has them. */
export const readUploadedModules = (): WorkerModule[] => readModules(/(?:from|import\(?)"\.\/([\w.-]+)"/g)

/** Those that the platform loads before a first request: without what is imported when a request needs it. */
export const readFirstModules = (): WorkerModule[] => readModules(/(?:from|import)"\.\/([\w.-]+)"/g)

/** The entry, and what it and its own imports import. An earlier build may have left other files beside them. */
function readModules(imports: RegExp): WorkerModule[] {
  const modules: WorkerModule[] = []
  const paths = new Set([basename(uploadedWorker)])
  // A set also goes over what is added meanwhile.
  for (const path of paths) {
    const contents = readFileSync(join(dirname(uploadedWorker), path), 'utf8')
    modules.push({ type: 'ESModule', path, contents })
    for (const [, imported = ''] of contents.matchAll(imports)) paths.add(imported)
  }
  return modules
}

/** Throws an OperatorError with the words of the builder. */
export async function buildWorker(): Promise<void> {
  const wrangler = join(projectRoot, 'node_modules', '.bin', 'wrangler')
  const args = [wrangler, 'deploy', '--dry-run', '--outdir', dirname(uploadedWorker)]
  try {
    await promisify(execFile)(process.execPath, args, { cwd: projectRoot })
  } catch (error) {
    throw new OperatorError(`The worker for Miniflare cannot be built: ${(error as Error).message}`)
  }
}
