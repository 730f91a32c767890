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
  identity: KeyPair
  registration: number
  signedPreKey: SignedPreKey & { private: Buffer }
}

/** New accounts send receipts and are migrated to LIDs, unless a wish says otherwise. */
export type AccountInput = Partial<Record<'autoReceipt' | 'lidMigrated', boolean | undefined>> & {
  name?: string | undefined
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

export function createAccountTable(database: DatabaseSync) {
  const byNumber = database.prepare('select * from accounts where number = ?')
  const byLid = database.prepare('select number from accounts where lid = ?')
  const insert =
    database.prepare(`insert into accounts (number, lid, name, auto_receipt, lid_migrated, identity_public,
    identity_private, registration, signed_id, signed_public, signed_private, signed_signature)
    values (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`)
  const update = database.prepare(
    'update accounts set name = ?, auto_receipt = ?, about = ?, lid_migrated = ? where number = ?',
  )
  const numberDevice = database.prepare(
    'update accounts set devices_numbered = devices_numbered + 1 where number = ? returning devices_numbered',
  )
  // Every stanza names two or three accounts: reading them from the file each time would be most of the work.
  const known = new Map<string, Account>()

  function find(number: string): Account | undefined {
    const cached = known.get(number)
    if (cached !== undefined) return cached
    const row = byNumber.get(number)
    if (row === undefined) return undefined
    const account = toAccount(row)
    known.set(number, account)
    return account
  }

  function findByLid(lid: string): Account | undefined {
    const row = byLid.get(lid)
    return row && find(readText(row, 'number'))
  }

  function createLid(): string {
    for (;;) {
      const lid = String(LID_START + randomInt(LID_START))
      if (byLid.get(lid) === undefined) return lid
    }
  }

  function insertAccount(number: string, { name, autoReceipt = true, lidMigrated = true }: AccountInput) {
    const identity = generateKeyPair()
    const signed = generateKeyPair()
    const signature = signMessage(identity.private, addKeyType(signed.public))
    insert.run(
      number,
      createLid(),
      name ?? null,
      autoReceipt ? 1 : 0,
      lidMigrated ? 1 : 0,
      identity.public,
      identity.private,
      randomInt(1, 0x3fff),
      signed.public,
      signed.private,
      signature,
    )
  }

  function save({ number, name, autoReceipt, about, lidMigrated }: Account) {
    update.run(name ?? null, autoReceipt ? 1 : 0, about ?? null, lidMigrated ? 1 : 0, number)
  }

  return {
    find,
    findByLid,
    /** Creates the account if there is none; what is passed is set in both cases. */
    ensureAccount(number: string, input: AccountInput): Account {
      const present = find(number)
      if (present === undefined) insertAccount(number, input)
      else {
        present.name = input.name ?? present.name
        present.autoReceipt = input.autoReceipt ?? present.autoReceipt
        present.lidMigrated = input.lidMigrated ?? present.lidMigrated
        save(present)
      }
      const account = find(number)
      if (account === undefined) throw new Error(`account ${number} was not kept`)
      return account
    },
    setAbout(account: Account, about: string) {
      account.about = about
      save(account)
    },
    setLidMigrated(account: Account, lidMigrated: boolean) {
      account.lidMigrated = lidMigrated
      save(account)
    },
    /** The count of the next companion, and its device number. */
    takeDevice(number: string): { device: number; keyIndex: number } {
      const row = numberDevice.get(number)
      if (row === undefined) throw new Error(`no account ${number}`)
      const keyIndex = readInteger(row, 'devices_numbered')
      return { device: ((keyIndex - 1) % LAST_DEVICE) + 1, keyIndex }
    },
    clearCache() {
      known.clear()
    },
  }
}
