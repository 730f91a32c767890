// Accounts: a number, its LID and the keys of its phone.
import { randomInt } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { addKeyType, generateKeyPair, type KeyPair, signMessage } from '../crypto/curve.ts'
import { type Row, readBlob, readInteger, readOptionalText, readText } from './network-database.ts'

export type SignedPreKey = { id: number; public: Buffer; signature: Buffer }

export type Account = {
  number: string
  /** Digits of the LID: random, so that it cannot be derived from the number. */
  lid: string
  name: string | undefined
  about: string | undefined
  /** Whether the phone sends delivery receipts by itself. */
  autoReceipt: boolean
  /** Whether its chats with one person were moved to LIDs: the network then refuses numbers as destination. */
  lidMigrated: boolean
  /** Empty once it was given up. */
  username: string | undefined
  /** Who looks the username up has to know it. */
  usernameKey: string | undefined
  identity: KeyPair
  registration: number
  signedPreKey: SignedPreKey & { private: Buffer }
}

/** New accounts send receipts and are migrated to LIDs, unless the input sets it. */
export type AccountInput = Partial<Record<'autoReceipt' | 'lidMigrated', boolean | undefined>> & {
  name?: string | undefined
  username?: string | undefined
  usernameKey?: string | undefined
}

/** Device 99 means a hosted companion on the wire, so ordinary ones stay below it. */
const LAST_DEVICE = 98
const LID_START = 10 ** 14

function toAccount(row: Row): Account {
  return {
    number: readText(row, 'number'),
    lid: readText(row, 'lid'),
    name: readOptionalText(row, 'name'),
    about: readOptionalText(row, 'about'),
    autoReceipt: readInteger(row, 'auto_receipt') === 1,
    lidMigrated: readInteger(row, 'lid_migrated') === 1,
    username: readOptionalText(row, 'username'),
    usernameKey: readOptionalText(row, 'username_key'),
    identity: { public: readBlob(row, 'identity_public'), private: readBlob(row, 'identity_private') },
    registration: readInteger(row, 'registration'),
    signedPreKey: {
      id: readInteger(row, 'signed_id'),
      public: readBlob(row, 'signed_public'),
      private: readBlob(row, 'signed_private'),
      signature: readBlob(row, 'signed_signature'),
    },
  }
}

function createPhoneKeys(): Pick<Account, 'identity' | 'registration' | 'signedPreKey'> {
  const identity = generateKeyPair()
  const signed = generateKeyPair()
  const signature = signMessage(identity.private, addKeyType(signed.public))
  return { identity, registration: randomInt(1, 0x3fff), signedPreKey: { id: 1, ...signed, signature } }
}

const prepareStatements = (database: DatabaseSync) => ({
  byNumber: database.prepare('select * from accounts where number = ?'),
  byLid: database.prepare('select number from accounts where lid = ?'),
  byUsername: database.prepare('select number from accounts where username = ? collate nocase'),
  insert:
    database.prepare(`insert into accounts (number, lid, name, auto_receipt, lid_migrated, identity_public,
    identity_private, registration, signed_id, signed_public, signed_private, signed_signature)
    values (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`),
  update: database.prepare(
    `update accounts set name = ?, auto_receipt = ?, about = ?, lid_migrated = ?, username = ?, username_key = ?
      where number = ?`,
  ),
  renewKeys: database.prepare(
    `update accounts set identity_public = ?, identity_private = ?, registration = ?, signed_public = ?,
      signed_private = ?, signed_signature = ? where number = ?`,
  ),
  countDevice: database.prepare(
    'update accounts set devices_numbered = devices_numbered + 1 where number = ? returning devices_numbered',
  ),
})

export class AccountTable {
  readonly #sql: ReturnType<typeof prepareStatements>
  // Every stanza names two or three accounts: without the cache, reading them would be most of the work.
  readonly #cache = new Map<string, Account>()

  constructor(database: DatabaseSync) {
    this.#sql = prepareStatements(database)
  }

  find(number: string): Account | undefined {
    const cached = this.#cache.get(number)
    if (cached !== undefined) return cached
    const row = this.#sql.byNumber.get(number)
    if (row === undefined) return undefined
    const account = toAccount(row)
    this.#cache.set(number, account)
    return account
  }

  findByLid(lid: string): Account | undefined {
    const row = this.#sql.byLid.get(lid)
    return row && this.find(readText(row, 'number'))
  }

  findByUsername(username: string): Account | undefined {
    const row = username === '' ? undefined : this.#sql.byUsername.get(username)
    return row && this.find(readText(row, 'number'))
  }

  /** Creates the account if there is none; what is passed is set in both cases. */
  ensureAccount(number: string, input: AccountInput): Account {
    if (this.find(number) === undefined) this.#insertAccount(number, input)
    const account = this.find(number)
    if (account === undefined) throw new Error(`account ${number} was not stored`)
    account.name = input.name ?? account.name
    account.autoReceipt = input.autoReceipt ?? account.autoReceipt
    account.lidMigrated = input.lidMigrated ?? account.lidMigrated
    account.username = input.username ?? account.username
    account.usernameKey = input.usernameKey ?? account.usernameKey
    this.#save(account)
    return account
  }

  /** Of a new phone under the same number. */
  renewKeys(account: Account) {
    Object.assign(account, createPhoneKeys())
    const { identity, registration, signedPreKey, number } = account
    this.#sql.renewKeys.run(
      ...[identity.public, identity.private, registration, signedPreKey.public],
      ...[signedPreKey.private, signedPreKey.signature, number],
    )
  }

  setAbout(account: Account, about: string) {
    account.about = about
    this.#save(account)
  }

  setLidMigrated(account: Account, lidMigrated: boolean) {
    account.lidMigrated = lidMigrated
    this.#save(account)
  }

  /** The count of the next companion, and its device number. */
  takeDevice(number: string): { device: number; keyIndex: number } {
    const row = this.#sql.countDevice.get(number)
    if (row === undefined) throw new Error(`no account ${number}`)
    const keyIndex = readInteger(row, 'devices_numbered')
    return { device: ((keyIndex - 1) % LAST_DEVICE) + 1, keyIndex }
  }

  clearCache() {
    this.#cache.clear()
  }

  #createLid(): string {
    for (;;) {
      const lid = String(LID_START + randomInt(LID_START))
      if (this.#sql.byLid.get(lid) === undefined) return lid
    }
  }

  #insertAccount(number: string, { name, autoReceipt = true, lidMigrated = true }: AccountInput) {
    const { identity, registration, signedPreKey } = createPhoneKeys()
    this.#sql.insert.run(
      number,
      this.#createLid(),
      name ?? null,
      autoReceipt ? 1 : 0,
      lidMigrated ? 1 : 0,
      identity.public,
      identity.private,
      registration,
      signedPreKey.public,
      signedPreKey.private,
      signedPreKey.signature,
    )
  }

  #save({ number, name, autoReceipt, about, lidMigrated, username, usernameKey }: Account) {
    this.#sql.update.run(
      name ?? null,
      autoReceipt ? 1 : 0,
      about ?? null,
      lidMigrated ? 1 : 0,
      username ?? null,
      usernameKey ?? null,
      number,
    )
  }
}
