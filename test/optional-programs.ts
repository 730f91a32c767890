// Programs that a machine may not have: what needs one is tried where it is there.

import { execFileSync } from 'node:child_process'

export function canRun(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
