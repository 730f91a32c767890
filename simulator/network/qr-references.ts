// Apart from simulated-network.ts, because it is not stored: the references in QR codes, and their connections.

import { randomBytes } from 'node:crypto'
import type { Connection } from './connections.ts'

export class References {
  readonly #holders = new Map<string, Connection>()

  createReferences(connection: Connection, count: number): string[] {
    const references = Array.from({ length: count }, () => `2@${randomBytes(60).toString('base64')}`)
    for (const reference of references) this.#holders.set(reference, connection)
    return references
  }

  findHolder(reference: string): Connection | undefined {
    return this.#holders.get(reference)
  }

  /** A reference is valid only while its connection is open and not linked. */
  revokeReferences(connection: Connection) {
    for (const [reference, holder] of this.#holders) {
      if (holder === connection) this.#holders.delete(reference)
    }
  }
}
