// A command of this project: what its operator can mend is printed as one sentence, without a stack, and ends it with 1.

import { parseArgs } from 'node:util'
import { Complaint } from './settings.ts'

export async function runCommand(main: () => void | Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof Complaint) && !isWrongArgument(error)) throw error
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

/** For a command that takes none: whoever gives it some expects what it does not do. */
export const refuseArguments = () => void parseArgs({ options: {} })

/** Of `parseArgs`: an option that there is not, or one without its value. */
const isWrongArgument = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_')
