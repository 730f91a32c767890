// How Node is started quickly: a package's own files are found at once, and what it has compiled it keeps.

import { join } from 'node:path'
import { projectRoot } from '../build/bundle.ts'

/** Before the script, beside other options of Node. */
export const quickArgs = ['--import', join(projectRoot, 'session-host', 'quick-imports.ts')]

/** The folder that `quickArgs` names too, but from the first file on: a start takes 50 ms of a processor less. */
export const quickEnv = { NODE_COMPILE_CACHE: join(projectRoot, '.build', 'compiled') }
