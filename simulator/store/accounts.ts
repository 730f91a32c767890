// Accounts: a number, its LID and the keys of its phone.
import { randomInt } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { generateKeyPair, type KeyPair, sign, typed } from '../crypto/curve.ts'
import { blob, integer, optionalText, type Row, text } from './database.ts'

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
export type AccountWish = Partial<Record<'autoReceipt' | 'lidMigrated', boolean | undefined>> & {
  name?: string | undefined
}

/** Device 99 means a hosted companion on the wire, so ordinary ones stay below it. */
const LAST_DEVICE = 98
const LID_START = 10 ** 14

function accountOf(row: Row): Account {
  return {
    number: text(row, 'number'),
    lid: text(row, 'lid'),
    name: optionalText(row, 'name'),
    about: optionalText(row, 'about'),
    autoReceipt: integer(row, 'auto_receipt') === 1,
    lidMigrated: integer(row, 'lid_migrated') === 1,
    identity: { public: blob(row, 'identity_public'), private: blob(row, 'identity_private') },
    registration: integer(row, 'registration'),
    signedPreKey: {
      id: integer(row, 'signed_id'),
      public: blob(row, 'signed_public'),
      private: blob(row, 'signed_private'),
      signature: blob(row, 'signed_signature'),
    },
  }
}

export function accountTable(database: DatabaseSync) {
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
    const account = accountOf(row)
    known.set(number, account)
    return account
  }

  function findByLid(lid: string): Account | undefined {
    const row = byLid.get(lid)
    return row && find(text(row, 'number'))
  }

  function unusedLid(): string {
    for (;;) {
      const lid = String(LID_START + randomInt(LID_START))
      if (byLid.get(lid) === undefined) return lid
    }
  }

  function create(number: string, { name, autoReceipt = true, lidMigrated = true }: AccountWish) {
    const identity = generateKeyPair()
    const signed = generateKeyPair()
    const signature = sign(identity.private, typed(signed.public))
    insert.run(
      number,
      unusedLid(),
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
    ensure(number: string, wish: AccountWish): Account {
      const present = find(number)
      if (present === undefined) create(number, wish)
      else {
        present.name = wish.name ?? present.name
        present.autoReceipt = wish.autoReceipt ?? present.autoReceipt
        present.lidMigrated = wish.lidMigrated ?? present.lidMigrated
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
    nextDevice(number: string): { device: number; keyIndex: number } {
      const row = numberDevice.get(number)
      if (row === undefined) throw new Error(`no account ${number}`)
      const keyIndex = integer(row, 'devices_numbered')
      return { device: ((keyIndex - 1) % LAST_DEVICE) + 1, keyIndex }
    },
    forgetCached() {
      known.clear()
    },
  }
}
