// Candidates that show a pairing code, until it is typed on a phone.
import { randomBytes } from 'node:crypto'
import type { Connection } from './connections.ts'

export type CodePairing = {
  connection: Connection
  number: string
  /** The candidate's ephemeral key under its code: salt, counter, ciphertext. */
  wrappedKey: Buffer
  reference: Buffer
  expiresAt: number
  /** Passes the candidate's response to the phone on which a code was typed; set while a code is being tried. */
  finish: ((response: CodeResponse) => boolean) | undefined
}

/** The candidate's response to the phone's ephemeral key. */
export type CodeResponse = { bundle: Buffer; identity: Buffer }

const LIFETIME_MS = 180_000

export class CodePairings {
  readonly #waiting = new Map<Connection, CodePairing>()

  /** A newer code of the same candidate replaces the older one. */
  startPairing(connection: Connection, number: string, wrappedKey: Buffer): CodePairing {
    const pairing: CodePairing = {
      connection,
      number,
      wrappedKey,
      reference: randomBytes(16),
      expiresAt: Date.now() + LIFETIME_MS,
      finish: undefined,
    }
    this.#waiting.set(connection, pairing)
    return pairing
  }

  /** The candidates for this number, newest first. */
  listWaiting(number: string): CodePairing[] {
    return [...this.#waiting.values()].filter((one) => one.number === number && this.#isAlive(one)).reverse()
  }

  findPairing(connection: Connection, reference: Buffer | undefined): CodePairing | undefined {
    const pairing = this.#waiting.get(connection)
    const found = pairing !== undefined && reference !== undefined && pairing.reference.equals(reference)
    return found && this.#isAlive(pairing) ? pairing : undefined
  }

  remove(connection: Connection) {
    this.#waiting.delete(connection)
  }

  #isAlive(pairing: CodePairing): boolean {
    return Date.now() < pairing.expiresAt
  }
}
