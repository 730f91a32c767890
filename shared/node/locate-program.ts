// Finds the file of another process or thread: among the sources, or in the package msgnet-gateway, whose programs lie side by side in one folder.

import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Whether this code runs from the package, whose programs are JavaScript. */
export const isPackaged = import.meta.url.endsWith('.js')

/** `path` leads there from the source that calls, whose address is `from`. */
export const locateProgram = (path: string, from: string): string =>
  fileURLToPath(new URL(isPackaged ? `./${basename(path, '.ts')}.js` : path, from))
