// What the bridge has stored: which chat is which conversation, and which message is which.

import { database } from '../bridge-store.ts'

export interface BridgedChat {
  chatid: string
  lid: string
  contact: number
  /** The id of the contact in the inbox. */
  source: string
  conversation: number | null
  /** The name that the bridge has set last. */
  name: string
  /** The digest of the picture that the bridge has set last. */
  picture: string
  /** 1 once a message came or went while the bridge ran; 0 if all of it was taken over. */
  live: number
}

export interface BridgedMessage {
  messageid: string
  chatid: string
  conversation: number
  /** The message in Chatwoot. One of an agent with several files is several messages of the network. */
  id: number
  /** What stands in Chatwoot. */
  text: string
  fromMe: number
  /** 1 if an agent wrote it in Chatwoot. */
  byAgent: number
  /** 1 if it was deleted, on either side. */
  deleted: number
}

database.exec(`create table if not exists chats (chatid text primary key, lid text not null, contact integer not null,
  source text not null, conversation integer, name text not null, picture text not null default '', live integer not null default 0)`)
database.exec('create index if not exists chats_lid on chats (lid)')
database.exec('create index if not exists chats_conversation on chats (conversation)')
database.exec(`create table if not exists messages (messageid text primary key, chatid text not null, conversation integer not null,
  id integer not null, text text not null, fromMe integer not null, byAgent integer not null, deleted integer not null default 0)`)
database.exec('create index if not exists messages_id on messages (id)')
database.exec(
  'create table if not exists begun (messageid text primary key, seen integer not null, at integer not null)',
)
database.exec(
  'create table if not exists seen (one integer primary key check (one = 1), id integer not null)',
)

const readChat = database.prepare('select * from chats where chatid = ?')
const readChatByLid = database.prepare(
  `select * from chats where chatid = ?1 or (lid = ?1 and lid <> '') limit 1`,
)
const readChatByConversation = database.prepare('select * from chats where conversation = ? limit 1')
const writeChat = database.prepare(
  `insert or replace into chats (chatid, lid, contact, source, conversation, name, picture, live) values (?, ?, ?, ?, ?, ?, ?, ?)`,
)
const deleteChat = database.prepare('delete from chats where chatid = ?')
const markLive = database.prepare('update chats set live = 1 where chatid = ? and live = 0')

/** Chats, by the id of the network. A person known by the hidden id only may get a number later. */
export const chats = {
  find: (chatid: string, lid: string) =>
    (readChat.get(chatid) ?? (lid && readChatByLid.get(lid)) ?? undefined) as unknown as
      | BridgedChat
      | undefined,
  findByConversation: (conversation: number) =>
    readChatByConversation.get(conversation) as unknown as BridgedChat | undefined,
  save(chat: BridgedChat, previous?: BridgedChat): void {
    const { chatid, lid, contact, source, conversation, name, picture, live } = chat
    if (previous && previous.chatid !== chatid) deleteChat.run(previous.chatid)
    writeChat.run(chatid, lid, contact, source, conversation, name, picture, live)
  },
  forget: (chatid: string) => void deleteChat.run(chatid),
  markLive: (chatid: string) => void markLive.run(chatid),
}

const readMessage = database.prepare('select * from messages where messageid = ?')
const readMessagesById = database.prepare('select * from messages where id = ? order by rowid')
const writeMessage = database.prepare(
  `insert or ignore into messages (messageid, chatid, conversation, id, text, fromMe, byAgent) values (?, ?, ?, ?, ?, ?, ?)`,
)
const markDeleted = database.prepare('update messages set deleted = 1 where messageid = ?')
const changeText = database.prepare('update messages set text = ? where messageid = ?')
const readBegun = database.prepare('select seen, at from begun where messageid = ?')
const writeBegun = database.prepare('insert or ignore into begun (messageid, seen, at) values (?, ?, ?)')
const deleteBegun = database.prepare('delete from begun where messageid = ?')
const readSeen = database.prepare('select id from seen')
const writeSeen = database.prepare(
  'insert into seen (one, id) values (1, ?1) on conflict do update set id = max(id, ?1)',
)

export const messages = {
  find: (messageid: string) => readMessage.get(messageid) as unknown as BridgedMessage | undefined,
  /** Those of one message in Chatwoot. */
  list: (id: number) => readMessagesById.all(id) as unknown as BridgedMessage[],
  save(message: Omit<BridgedMessage, 'deleted'>): void {
    const { messageid, chatid, conversation, id, text, fromMe, byAgent } = message
    writeMessage.run(messageid, chatid, conversation, id, text, fromMe, byAgent)
    writeSeen.run(id)
    deleteBegun.run(messageid)
  },
  markDeleted: (messageid: string) => void markDeleted.run(messageid),
  changeText: (messageid: string, text: string) => void changeText.run(text, messageid),
}

/** Messages that Chatwoot is being given. Ids of Chatwoot grow: one that comes of such a request is above all that were seen before. */
export const begunMessages = {
  find: (messageid: string) => readBegun.get(messageid) as { seen: number; at: number } | undefined,
  begin: (messageid: string) =>
    void writeBegun.run(messageid, (readSeen.get()?.id as number | undefined) ?? 0, Date.now()),
  forget: (messageid: string) => void deleteBegun.run(messageid),
  /** An id that Chatwoot has named. */
  see: (id: number) => void writeSeen.run(id),
}
