// Pairings that wait for a passkey: the candidate, and how far it has come.

import type { CompanionHello, PhoneSecrets } from '../passkeys/agreement.ts'
import type { Account } from '../store/account-table.ts'
import type { Connection } from './connections.ts'

export type PasskeyStage =
  /** A challenge is used once: after an assertion, good or bad, the device has to request another. */
  | { name: 'assertion'; challenge: Buffer | undefined }
  /** The phone has shown its key; the device has to reveal the nonce that it committed itself to. */
  | { name: 'nonce'; hello: CompanionHello; phone: PhoneSecrets; proven: boolean }
  | { name: 'request'; code: string; key: Buffer; proven: boolean }
  /** The owner compares the code. `secret` is the device's new one. */
  | { name: 'confirmation'; code: string; secret: Buffer }

export type PasskeyPairing = {
  connection: Connection
  account: Account
  /** Shared by candidate and phone: from the QR code, or agreed by pairing code. */
  secret: Buffer
  expiresAt: number
  stage: PasskeyStage
}

export class PasskeyPairings {
  readonly #waiting = new Map<Connection, PasskeyPairing>()

  add(pairing: PasskeyPairing) {
    this.#waiting.set(pairing.connection, pairing)
  }

  /** Undefined once its time is over. */
  findPairing(connection: Connection): PasskeyPairing | undefined {
    const pairing = this.#waiting.get(connection)
    return pairing && Date.now() < pairing.expiresAt ? pairing : undefined
  }

  /** The newest one of this account. */
  findByAccount(number: string): PasskeyPairing | undefined {
    return [...this.#waiting.values()]
      .filter(({ account, expiresAt }) => account.number === number && Date.now() < expiresAt)
      .at(-1)
  }

  remove(connection: Connection) {
    this.#waiting.delete(connection)
  }
}
