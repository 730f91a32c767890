// The script that `npm run deploy` would upload: where `npm run build:cloudflare` puts it, and its build at a start that needs it.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { projectRoot } from './root.ts'

export const uploadedWorker = join(projectRoot, '.build', 'cloudflare', 'worker.js')

export const isWorkerBuilt = (): boolean => existsSync(uploadedWorker)

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
