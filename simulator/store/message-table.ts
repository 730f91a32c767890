// The messages that the network carried, and those that each phone decrypted.
import type { DatabaseSync } from 'node:sqlite'
import type { LargeContents } from './large-contents.ts'
import { type Row, readBlob, readInteger, readText } from './network-database.ts'

/** The form of address of a chat's two sides: phone number or LID. */
export type AddressForm = 'pn' | 'lid'

export type Message = {
  id: string
  /** Number of the account that sent it. */
  sender: string
  /** The sending device; 0 is the phone. */
  device: number
  /** Number of the recipient's account, or id of the group. */
  chat: string
  form: AddressForm
  /** The encoded message if a phone wrote it; the network cannot read messages of companions. */
  content: Buffer | undefined
  sentAt: number
}

const MAX_PER_SENDER = 20_000
const TRIM_EVERY = 500

function toMessage(large: LargeContents, row: Row): Message {
  return {
    id: readText(row, 'id'),
    sender: readText(row, 'sender'),
    device: readInteger(row, 'device'),
    chat: readText(row, 'chat'),
    form: readText(row, 'form') === 'lid' ? 'lid' : 'pn',
    // Decoded on use only, because receipts look the message up too.
    get content() {
      return row.content === null ? undefined : large.readContent(readBlob(row, 'content'))
    },
    sentAt: readInteger(row, 'sent_at'),
  }
}

export function createMessageTable(database: DatabaseSync, large: LargeContents) {
  const add = database.prepare(`insert into messages (id, sender, device, chat, form, content, sent_at)
    values (?, ?, ?, ?, ?, ?, ?) on conflict (id, sender) do nothing returning seq`)
  const bySender = database.prepare('select * from messages where id = ? and sender = ?')
  const byId = database.prepare('select * from messages where id = ? order by seq desc limit 1')
  const trim = database.prepare(`delete from messages where sender = ?1 and seq <=
    (select seq from messages where sender = ?1 order by seq desc limit 1 offset ${MAX_PER_SENDER})`)
  const correspondents = database.prepare(
    'select chat as number from messages where sender = ?1 union select sender from messages where chat = ?1',
  )

  const written = database.prepare('select 1 as yes from messages where sender = ? and chat = ? limit 1')

  return {
    /** A message that is sent again under its id is still one message. */
    add(message: Message) {
      const { id, sender, device, chat, form, content, sentAt } = message
      const row = add.get(
        id,
        sender,
        device,
        chat,
        form,
        content ? large.storeContent(content) : null,
        sentAt,
      )
      if (row !== undefined && readInteger(row, 'seq') % TRIM_EVERY === 0) trim.run(sender)
    },
    /** Numbers of the accounts that this one has exchanged messages with. */
    listCorrespondents(number: string): string[] {
      return correspondents.all(number).map((row) => readText(row, 'number'))
    },
    hasWrittenTo(number: string, other: string): boolean {
      return written.get(number, other) !== undefined
    },
    find(id: string, sender?: string): Message | undefined {
      const row = sender === undefined ? byId.get(id) : bySender.get(id, sender)
      return row && toMessage(large, row)
    },
  }
}

const MAX_PER_INBOX = 20_000

/** The messages that each phone decrypted, in the order of their arrival. */
export function createInboxTable(database: DatabaseSync) {
  const add = database.prepare(`insert into inbox (number, id, sender, received_at, entry, secret)
    values (?, ?, ?, ?, ?, ?) on conflict (number, id, sender) do nothing returning seq`)
  const listAfter = database.prepare('select entry from inbox where number = ? and seq > ? order by seq')
  const listFrom = database.prepare(
    'select entry from inbox where number = ? and received_at >= ? order by seq',
  )
  const findSeq = database.prepare('select max(seq) as seq from inbox where number = ? and id = ?')
  const findSecret = database.prepare('select secret from inbox where number = ? and id = ? and sender = ?')
  const trim = database.prepare(`delete from inbox where number = ?1 and seq <=
    (select seq from inbox where number = ?1 order by seq desc limit 1 offset ${MAX_PER_INBOX})`)
  const parseEntries = (rows: Record<string, unknown>[]): unknown[] =>
    rows.map((row) => JSON.parse(readText(row, 'entry')))

  return {
    /** False if this phone already has the message. */
    add(number: string, sender: string, id: string, entry: object, secret?: Uint8Array): boolean {
      const row = add.get(number, id, sender, Date.now(), JSON.stringify(entry), secret ?? null)
      if (row !== undefined && readInteger(row, 'seq') % TRIM_EVERY === 0) trim.run(number)
      return row !== undefined
    },
    /** The secret that the message came with. */
    findSecret(number: string, sender: string, id: string): Uint8Array | undefined {
      const row = findSecret.get(number, id, sender)
      return row && row.secret !== null ? readBlob(row, 'secret') : undefined
    },
    listAll(number: string): unknown[] {
      return parseEntries(listAfter.all(number, 0))
    },
    /** The messages after that one; undefined if the phone does not have it. */
    listAfterMessage(number: string, id: string): unknown[] | undefined {
      const seq = findSeq.get(number, id)?.seq
      return typeof seq === 'number' ? parseEntries(listAfter.all(number, seq)) : undefined
    },
    /** The messages at that time (milliseconds) or later. */
    listFromTime(number: string, time: number): unknown[] {
      return parseEntries(listFrom.all(number, time))
    },
  }
}
