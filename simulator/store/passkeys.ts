// Passkeys: which accounts need one to link a device, and the public keys of their credentials.
import type { DatabaseSync } from 'node:sqlite'
import { blob, integer, type Row, text } from './database.ts'

/** What an account demands of whoever links a device to it. */
export type PasskeyDemand = {
  rpId: string
  /** How long a challenge is good. */
  timeoutMs: number
  /** The owner compares a code on the phone, also when the device has proven that it showed the QR code. */
  confirmation: boolean
}

export type Credential = {
  id: Buffer
  number: string
  /** DER, as a SubjectPublicKeyInfo. */
  publicKey: Buffer
  /** How often the authenticator has signed, as it says; 0 if it does not count. */
  counter: number
}

const demandOf = (row: Row): PasskeyDemand => ({
  rpId: text(row, 'rp_id'),
  timeoutMs: integer(row, 'timeout_ms'),
  confirmation: integer(row, 'confirmation') === 1,
})

const credentialOf = (row: Row): Credential => ({
  id: blob(row, 'id'),
  number: text(row, 'number'),
  publicKey: blob(row, 'public_key'),
  counter: integer(row, 'counter'),
})

export function passkeyTable(database: DatabaseSync) {
  const demand = database.prepare('select * from passkey_demands where number = ?')
  const setDemand = database.prepare('insert or replace into passkey_demands values (?, ?, ?, ?)')
  const dropDemand = database.prepare('delete from passkey_demands where number = ?')
  const find = database.prepare('select * from passkey_credentials where id = ?')
  const ofAccount = database.prepare('select * from passkey_credentials where number = ? order by rowid')
  const add = database.prepare('insert or replace into passkey_credentials values (?, ?, ?, ?)')
  const count = database.prepare('update passkey_credentials set counter = ? where id = ?')

  return {
    demand(number: string): PasskeyDemand | undefined {
      const row = demand.get(number)
      return row && demandOf(row)
    },
    setDemand(number: string, wish: PasskeyDemand | undefined) {
      if (wish === undefined) dropDemand.run(number)
      else setDemand.run(number, wish.rpId, wish.timeoutMs, wish.confirmation ? 1 : 0)
    },
    find(id: Uint8Array): Credential | undefined {
      const row = find.get(id)
      return row && credentialOf(row)
    },
    of(number: string): Credential[] {
      return ofAccount.all(number).map(credentialOf)
    },
    add({ id, number, publicKey, counter }: Credential) {
      add.run(id, number, publicKey, counter)
    },
    setCounter(id: Uint8Array, counter: number) {
      count.run(counter, id)
    },
  }
}
