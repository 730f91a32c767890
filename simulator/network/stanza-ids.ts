// Ids and times of stanzas.
import { randomBytes } from 'node:crypto'

export function createId(): string {
  return randomBytes(8).toString('hex')
}

/** Seconds since the epoch; `at` is in milliseconds. */
export function formatSeconds(at: number = Date.now()): string {
  return String(Math.floor(at / 1000))
}

/** An id in the form of phones. */
export function createMessageId(): string {
  return randomBytes(16).toString('hex').toUpperCase()
}

/** The version of a group's setting: later ones are larger. */
export const createVersionId = (): string => String(Date.now() * 1000)
