// Builds the pages that the edge serves, the API's document and the console, again when one of their sources has changed.

import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintOf } from './fingerprint.ts'
import { projectRoot } from './root.ts'

const folder = join(projectRoot, '.build')
/** The modules with the pages. */
export const pages = { documentation: join(folder, 'documentation.js'), console: join(folder, 'console.js') }

/** Each module's first line is a comment with the fingerprint of the sources that it was built from. */
export async function buildPages(): Promise<void> {
  // Computed before anything is read, so that a change meanwhile gives another fingerprint.
  const mark = `// ${fingerprintOf(projectRoot)}`
  if (Object.values(pages).every((file) => hasMark(file, mark))) return
  // The schemas and the bundler are loaded only when they are needed, because that takes longer than this check.
  const [{ writeDocumentation }, { writeConsole }] = await Promise.all([
    import('./documentation.ts'),
    import('./console.ts'),
  ])
  writeDocumentation(pages.documentation, mark)
  await writeConsole(pages.console, mark)
}

/** Whether it is the first line of this file. It is in the file itself because several starts may run at the same time. */
export function hasMark(file: string, mark: string): boolean {
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
