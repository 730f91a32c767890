// Runs a command of this project: an error that the operator can correct is printed as one sentence without a stack, with exit code 1.

import { parseArgs } from 'node:util'
import { OperatorError } from './operator-errors.ts'

export async function runCommand(command: () => void | Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    if (!(error instanceof OperatorError) && !isWrongArgument(error)) throw error
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

/** For a command without arguments: refuses any, because they would have no effect. */
export const refuseArguments = () => void parseArgs({ options: {} })

/** An error of `parseArgs`: an unknown option, or one without its value. */
const isWrongArgument = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS_')
