// The settings that all devices of an account share, as last reported: of chats, contacts and labels.

import { chats } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import {
  blocked,
  chatLabels,
  chatSettings,
  contacts,
  knownNames,
  labels,
  usernames,
} from '@msgnet/shared/db/setting-tables.ts'
import { and, eq, gt, inArray, notInArray, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import type { ChatTimer, Person, SettingChange } from '../driver/driver.ts'
import { deleteChat } from './chat-store.ts'
import type { StoreReader } from './heavy-reads.ts'
import type { Store } from './host-store.ts'
import { type ChatChoice, matchChoice } from './match-choice.ts'
import { listJidForms, selectUsername } from './username-store.ts'

const chooseJid = ({ id, pn }: Person) => pn || id

/** All but stars, which are stored with their messages, and timers, of which an older one may come late. */
export type StoredChange = Exclude<SettingChange, { kind: 'star' | 'timer' }>

export function buildSettingStatements(store: Store, instance: string, change: StoredChange): Statement[] {
  const { db } = store
  switch (change.kind) {
    case 'chat': {
      const { chat, kind: _, ...set } = change
      const values = { instance, chatid: chooseJid(chat), ...set }
      const target = [chatSettings.instance, chatSettings.chatid]
      return [db.insert(chatSettings).values(values).onConflictDoUpdate({ target, set })]
    }
    case 'chat_deleted':
      return deleteChat(store, instance, [chooseJid(change.chat)])
    case 'contact':
      return [storeContact(store, instance, change)]
    case 'label':
      return storeLabel(store, instance, change)
    case 'label_chat':
      return [labelChat(store, instance, change)]
    case 'blocked':
      return change.blocked
        ? addBlocked(store, instance, [change.person])
        : [deleteBlocked(store, instance, change.person)]
    case 'block_list':
      return [
        db.delete(blocked).where(eq(blocked.instance, instance)),
        ...addBlocked(store, instance, change.people),
      ]
  }
}

/** Those that were ever set, by chat. */
export async function readTimers(store: StoreReader, instance: string): Promise<Map<string, ChatTimer>> {
  const rows = await store.db
    .select({ chatid: chatSettings.chatid, seconds: chatSettings.timer, setAt: chatSettings.timerSetAt })
    .from(chatSettings)
    .where(and(eq(chatSettings.instance, instance), gt(chatSettings.timerSetAt, 0)))
  return new Map(rows.map(({ chatid, ...timer }) => [chatid, timer]))
}

export const storeTimer = (
  { db }: Store,
  instance: string,
  chatid: string,
  { seconds: timer, setAt: timerSetAt }: ChatTimer,
): Statement =>
  db
    .insert(chatSettings)
    .values({ instance, chatid, timer, timerSetAt })
    .onConflictDoUpdate({ target: [chatSettings.instance, chatSettings.chatid], set: { timer, timerSetAt } })

type Change<Kind extends SettingChange['kind']> = Extract<SettingChange, { kind: Kind }>

/** Deletes it if it has no name. */
function storeContact({ db }: Store, instance: string, change: Change<'contact'>): Statement {
  const { person, name, firstName } = change
  const jid = chooseJid(person)
  if (name === '')
    return db.delete(contacts).where(and(eq(contacts.instance, instance), eq(contacts.jid, jid)))
  const set = { name, firstName, ...(person.lid && { lid: person.lid }) }
  const target = [contacts.instance, contacts.jid]
  return db
    .insert(contacts)
    .values({ instance, jid, ...set })
    .onConflictDoUpdate({ target, set })
}

function storeLabel(store: Store, instance: string, change: Change<'label'>): Statement[] {
  const { labelid, name, color, deleted } = change
  if (deleted) return deleteLabel(store, instance, labelid)
  const at = Date.now()
  const set = { name, color, updatedAt: at }
  const target = [labels.instance, labels.labelid]
  const values = { instance, labelid, createdAt: at, ...set }
  return [store.db.insert(labels).values(values).onConflictDoUpdate({ target, set })]
}

function labelChat({ db }: Store, instance: string, change: Change<'label_chat'>): Statement {
  const row = { instance, chatid: chooseJid(change.chat), labelid: change.labelid }
  if (change.labeled) return db.insert(chatLabels).values(row).onConflictDoNothing()
  const { chatid, labelid } = row
  return db
    .delete(chatLabels)
    .where(
      and(eq(chatLabels.instance, instance), eq(chatLabels.chatid, chatid), eq(chatLabels.labelid, labelid)),
    )
}

const addBlocked = ({ db }: Store, instance: string, people: Person[]): Statement[] =>
  people.flatMap(listJidForms).map((id) => db.insert(blocked).values({ instance, id }).onConflictDoNothing())

const deleteBlocked = ({ db }: Store, instance: string, person: Person): Statement =>
  db.delete(blocked).where(and(eq(blocked.instance, instance), inArray(blocked.id, listJidForms(person))))

/** Whether the stored list is the same: each connection reports the whole list, which rarely differs. */
export async function isSameBlockList({ db }: Store, instance: string, people: Person[]): Promise<boolean> {
  const rows = await db.select({ id: blocked.id }).from(blocked).where(eq(blocked.instance, instance))
  const reported = new Set(people.flatMap(listJidForms))
  return rows.length === reported.size && rows.every(({ id }) => reported.has(id))
}

const deleteLabel = ({ db }: Store, instance: string, labelid: string): Statement[] => [
  db.delete(labels).where(and(eq(labels.instance, instance), eq(labels.labelid, labelid))),
  db.delete(chatLabels).where(and(eq(chatLabels.instance, instance), eq(chatLabels.labelid, labelid))),
]

/** Deletes the settings of the account that was linked. */
export const deleteSettings = ({ db }: Store, instance: string): Statement[] =>
  [chatSettings, blocked, contacts, knownNames, usernames, labels, chatLabels].map((table) =>
    db.delete(table).where(eq(table.instance, instance)),
  )

export type ContactRow = Pick<typeof contacts.$inferSelect, 'jid' | 'name' | 'firstName'> & {
  username: string | null
}
type Scope = 'address_book' | 'all'

/** `all`: also people with whom there is a chat. */
function selectContacts({ db }: StoreReader, instance: string, scope: Scope, choice?: ChatChoice) {
  const { jid, lid, name, firstName } = contacts
  const known = db
    .select({ jid, lid, name, firstName })
    .from(contacts)
    .where(and(eq(contacts.instance, instance), choice && matchChoice(choice, jid, lid)))
  if (scope === 'address_book') return known
  const saved = db.select({ jid }).from(contacts).where(eq(contacts.instance, instance))
  const others = db
    .select({ jid: chats.chatid, lid: chats.chatlid, name: chats.name, firstName: sql<string>`''` })
    .from(chats)
    .where(
      and(
        eq(chats.instance, instance),
        eq(chats.isGroup, false),
        notInArray(chats.chatid, saved),
        choice && matchChoice(choice, chats.chatid, chats.chatlid),
      ),
    )
  return unionAll(known, others)
}

/** Sorted by name. */
export const listContacts = (
  reader: StoreReader,
  instance: string,
  { limit, offset, contactScope }: { limit: number; offset: number; contactScope: Scope },
  choice?: ChatChoice,
): Promise<ContactRow[]> => {
  const found = selectContacts(reader, instance, contactScope, choice).as('found')
  const { jid, lid, name, firstName } = found
  return reader.db
    .select({ jid, name, firstName, username: selectUsername(instance, jid, lid) })
    .from(found)
    .orderBy(name, jid)
    .limit(limit)
    .offset(offset)
}

export async function countContacts(
  reader: StoreReader,
  instance: string,
  scope: Scope,
  choice?: ChatChoice,
): Promise<number> {
  const found = selectContacts(reader, instance, scope, choice).as('found')
  const [row] = await reader.db.select({ n: sql<number>`count(*)` }).from(found)
  return row?.n ?? 0
}

export type LabelRow = typeof labels.$inferSelect

export const listLabels = ({ db }: Store, instance: string): Promise<LabelRow[]> =>
  db.select().from(labels).where(eq(labels.instance, instance)).orderBy(sql`cast(labelid as integer)`)

export async function listChatLabels({ db }: Store, instance: string, chatid: string): Promise<string[]> {
  const rows = await db
    .select({ labelid: chatLabels.labelid })
    .from(chatLabels)
    .where(and(eq(chatLabels.instance, instance), eq(chatLabels.chatid, chatid)))
  return rows.map(({ labelid }) => labelid)
}
