// The check of settings that name a program of this machine.

import { accessSync, constants, statSync } from 'node:fs'
import * as z from 'zod'

const EXPECTED = 'must be the path of a program'

export const programPath = z.string().superRefine((path, context) => {
  const fault = findFault(path)
  if (fault) context.addIssue(fault)
})

function findFault(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return `${EXPECTED}: that is no file`
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return `${EXPECTED}: that one cannot be run (${(error as NodeJS.ErrnoException).code})`
  }
}
