// Faults of a disk, a file or a database that the operator can mend, each as one sentence.

import { Complaint } from './settings.ts'

/** Of SQLite: the disk is full. */
const SQLITE_FULL = 13

/** No block is free, or none for this user, or none for this file. */
const NO_SPACE = ['ENOSPC', 'EDQUOT', 'EFBIG']

interface Fault {
  code?: unknown
  errcode?: unknown
  path?: unknown
  message?: unknown
  cause?: unknown
}

/** A Complaint for such a fault; any other error as it is. */
export function toComplaint(error: unknown): unknown {
  if (error instanceof Complaint || !(error instanceof Error)) return error
  const { code, errcode, path, message, cause } = error as Fault
  const text = String(message)
  if (NO_SPACE.includes(String(code)) || errcode === SQLITE_FULL || /disk is full|SQLITE_FULL/.test(text))
    return new Complaint('The disk is full: make room, and try again.')
  if (typeof path === 'string') return new Complaint(`${path} cannot be used (${code}).`)
  if (code === 'ERR_SQLITE_ERROR') return new Complaint(`A database file cannot be used (${text}).`)
  if (error.name === 'LibsqlError' || cause !== undefined) {
    const inner = cause instanceof Error && cause.message ? `: ${cause.message}` : ''
    return new Complaint(`The database cannot be used (${text}${inner}).`)
  }
  return error
}

/** Runs a command and throws its faults as Complaints. */
export async function withSentences(does: () => Promise<void>): Promise<void> {
  try {
    await does()
  } catch (error) {
    throw toComplaint(error)
  }
}
