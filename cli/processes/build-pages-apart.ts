// Builds the pages in a process of its own: what a build loads, and the process of the bundler, would stay for as long as the start.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { projectRoot } from '../build/root.ts'
import { quickArgs } from './quick-node.ts'

/** Throws an OperatorError with what the build printed. The build does not outlive this process, unless that is killed. */
export async function buildPagesApart(): Promise<void> {
  const program = join(projectRoot, 'cli', 'build-pages.ts')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = execFile(process.execPath, [...quickArgs, program], (error, _, printed) =>
    error ? reject(new OperatorError(printed.trim() || error.message)) : resolve(),
  )
  const end = () => void child.kill()
  process.once('exit', end)
  await promise.finally(() => process.off('exit', end))
}
