// A command of this project: what its operator can mend is printed as one sentence, without a stack, and ends it with 1.

import { Complaint } from './settings.ts'

export async function runCommand(main: () => void | Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof Complaint)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
