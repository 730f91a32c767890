// The chats whose presence is subscribed.

import { presenceSubscriptions } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, eq } from 'drizzle-orm'
import type { Store } from './host-store.ts'

export interface SubscribedChat {
  chatid: string
  lid: string
}

export const listSubscribedChats = ({ db }: Store, instance: string): Promise<SubscribedChat[]> =>
  db
    .select({ chatid: presenceSubscriptions.chatid, lid: presenceSubscriptions.lid })
    .from(presenceSubscriptions)
    .where(eq(presenceSubscriptions.instance, instance))

export const addSubscribedChat = ({ db }: Store, instance: string, chat: SubscribedChat): Statement => {
  const target = [presenceSubscriptions.instance, presenceSubscriptions.chatid]
  return db
    .insert(presenceSubscriptions)
    .values({ instance, ...chat })
    .onConflictDoUpdate({ target, set: { lid: chat.lid } })
}

export const deleteSubscribedChat = ({ db }: Store, instance: string, chatid: string): Statement =>
  db
    .delete(presenceSubscriptions)
    .where(and(eq(presenceSubscriptions.instance, instance), eq(presenceSubscriptions.chatid, chatid)))

export const deleteSubscribedChats = ({ db }: Store, instance: string): Statement =>
  db.delete(presenceSubscriptions).where(eq(presenceSubscriptions.instance, instance))
