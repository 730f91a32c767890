// Builds the pages that the edge serves, the API's document and the console, again when one of their sources has changed.

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../settings/gateway-settings.ts'
import { computeFingerprint } from './fingerprint.ts'
import { projectRoot } from './root.ts'

const folder = join(projectRoot, '.build')
/** The modules with the pages. */
export const pages = { documentation: join(folder, 'documentation.js'), console: join(folder, 'console.js') }

/** Each module's first line is a comment with the fingerprint of the sources that it was built from. */
export async function buildPages(): Promise<void> {
  // Computed before anything is read, so that a change meanwhile gives another fingerprint.
  const mark = `// ${computeFingerprint(projectRoot)}`
  if (Object.values(pages).every((file) => hasMark(file, mark))) return
  // The schemas and the bundler are loaded only when they are needed, because that takes longer than this check.
  const [{ writeDocumentation }, { writeConsole }] = await Promise.all([
    import('./write-documentation.ts'),
    import('./bundle-console.ts'),
  ])
  writeDocumentation(pages.documentation, mark)
  await writeConsole(pages.console, mark)
}

/**
 * For an edge that cannot write beside its sources, or came without those of the pages. Whether they are of these sources is not asked:
 * a copy of the files, such as an image, has other modification times. Throws a Complaint if they were not built.
 */
export function requirePages(): void {
  if (!Object.values(pages).every((file) => existsSync(file)))
    throw new OperatorError('The console and the documentation are not built yet: run npm run build:pages.')
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
