// Writes a module of constants as a whole, because several starts may write it at the same time.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'

/** `mark`: a comment that becomes its first line. */
export function writeModule(file: string, mark: string, exported: object): void {
  try {
    writeWhole(file, mark, exported)
  } catch (error) {
    throw new OperatorError(
      `The pages cannot be built: this user cannot write ${file} (${(error as NodeJS.ErrnoException).code}). Run npm run build:pages once as the owner of the code, or give its folder .build to this user.`,
    )
  }
}

function writeWhole(file: string, mark: string, exported: object): void {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  const lines = Object.entries(exported).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`,
  )
  writeFileSync(draft, `${mark}\n${lines.join('')}`)
  renameSync(draft, file)
}
