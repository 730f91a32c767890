// Passkeys: which accounts need one to link a device, and the public keys of their credentials.
import type { DatabaseSync } from 'node:sqlite'
import { type Row, readBlob, readInteger, readText } from './network-database.ts'

/** What an account demands before a device is linked to it. */
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
  /** How often the authenticator reports to have signed; 0 if it does not count. */
  counter: number
}

const toDemand = (row: Row): PasskeyDemand => ({
  rpId: readText(row, 'rp_id'),
  timeoutMs: readInteger(row, 'timeout_ms'),
  confirmation: readInteger(row, 'confirmation') === 1,
})

const toCredential = (row: Row): Credential => ({
  id: readBlob(row, 'id'),
  number: readText(row, 'number'),
  publicKey: readBlob(row, 'public_key'),
  counter: readInteger(row, 'counter'),
})

export function createPasskeyTable(database: DatabaseSync) {
  const demand = database.prepare('select * from passkey_demands where number = ?')
  const setDemand = database.prepare('insert or replace into passkey_demands values (?, ?, ?, ?)')
  const dropDemand = database.prepare('delete from passkey_demands where number = ?')
  const find = database.prepare('select * from passkey_credentials where id = ?')
  const ofAccount = database.prepare('select * from passkey_credentials where number = ? order by rowid')
  const add = database.prepare('insert or replace into passkey_credentials values (?, ?, ?, ?)')
  const count = database.prepare('update passkey_credentials set counter = ? where id = ?')

  return {
    findDemand(number: string): PasskeyDemand | undefined {
      const row = demand.get(number)
      return row && toDemand(row)
    },
    setDemand(number: string, input: PasskeyDemand | undefined) {
      if (input === undefined) dropDemand.run(number)
      else setDemand.run(number, input.rpId, input.timeoutMs, input.confirmation ? 1 : 0)
    },
    findCredential(id: Uint8Array): Credential | undefined {
      const row = find.get(id)
      return row && toCredential(row)
    },
    listByNumber(number: string): Credential[] {
      return ofAccount.all(number).map(toCredential)
    },
    addCredential({ id, number, publicKey, counter }: Credential) {
      add.run(id, number, publicKey, counter)
    },
    setCounter(id: Uint8Array, counter: number) {
      count.run(counter, id)
    },
  }
}
