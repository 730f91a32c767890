// Options that start Node faster: quick imports of packages, and a cache of compiled code.

import { join } from 'node:path'
import { isInLab } from '@msgnet/shared/node/laboratory-time.ts'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import { projectRoot } from '../build/root.ts'

/** Placed before the script, among Node's options. */
export const quickArgs = [
  '--import',
  locateProgram('../../shared/node/quick-imports.ts', import.meta.url),
  ...(isInLab ? ['--import', locateProgram('../../shared/node/laboratory-time.ts', import.meta.url)] : []),
]

/** The cache folder that `quickArgs` uses too, but from the first file on, which saves 50 ms of processor time per start. */
export const quickEnv = { NODE_COMPILE_CACHE: join(projectRoot, '.build', 'compiled') }
