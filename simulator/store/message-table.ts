// The messages that the network carried: sender and recipient of each, and the content of those from phones.
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
