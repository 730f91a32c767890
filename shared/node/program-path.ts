// The check of settings that name a program of this machine.

import { accessSync, constants, statSync } from 'node:fs'

export const PROGRAM_EXPECTED = 'must be the path of a program'

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
