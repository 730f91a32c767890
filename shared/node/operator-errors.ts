// Turns errors of a disk, a file or a database that the operator can correct into one sentence.

import { isDiskFull } from './sqlite-errors.ts'

/** An error for the operator: one sentence, printed without a stack. */
export class OperatorError extends Error {}

/** No block is free, or none for this user, or none for this file. */
const NO_SPACE = ['ENOSPC', 'EDQUOT', 'EFBIG']

interface ErrorFields {
  code?: unknown
  path?: unknown
  message?: unknown
  cause?: unknown
}

/** An OperatorError for such an error; any other error is returned as it is. */
function toOperatorError(error: unknown): unknown {
  if (error instanceof OperatorError || !(error instanceof Error)) return error
  const { code, path, message, cause } = error as ErrorFields
  const text = String(message)
  if (NO_SPACE.includes(String(code)) || isDiskFull(error) || /disk is full|SQLITE_FULL/.test(text))
    return new OperatorError('The disk is full: make room, and try again.')
  if (typeof path === 'string') return new OperatorError(`${path} cannot be used (${code}).`)
  if (code === 'ERR_SQLITE_ERROR') return new OperatorError(`A database file cannot be used (${text}).`)
  if (error.name === 'LibsqlError' || cause !== undefined) {
    const inner = cause instanceof Error && cause.message ? `: ${cause.message}` : ''
    return new OperatorError(`The database cannot be used (${text}${inner}).`)
  }
  return error
}

/** Runs a command and throws its errors as OperatorErrors. */
export async function withOperatorErrors(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    throw toOperatorError(error)
  }
}
