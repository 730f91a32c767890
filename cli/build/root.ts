// The folder of the project.

import { join } from 'node:path'

export const projectRoot = join(import.meta.dirname, '..', '..')
