// The notifications of the browser about new messages: only after its user has asked for them, and only while the page is out of sight.

import type { ChatRecord } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { formatId } from '../format-id.ts'
import { toHash } from '../hash-route.ts'
import { describeLastMessage, isMuted } from '../last-message.ts'
import { texts } from '../texts.ts'
import { type InstanceUnread, listWaiting, type Unread } from './read-unread.ts'

const words = texts.inbox
const STORAGE_KEY = 'msgnet-gateway.notifications'
/** More at once are seen in the inbox. */
const MAX_SHOWN = 5

export const canNotify = (): boolean => 'Notification' in globalThis

/** Whether this browser's user has asked for them and still allows them. */
export function readNotifyOption(): boolean {
  try {
    return canNotify() && Notification.permission === 'granted' && localStorage.getItem(STORAGE_KEY) === 'on'
  } catch {
    // The browser has no storage: then nothing was asked for.
    return false
  }
}

/** Throws where the browser or its user forbids them. */
export async function turnNotificationsOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error(words.notifyDenied)
  // Some browsers allow them and show none to a page.
  showNotification(words.notifyOn, { body: words.notifyHint })
  localStorage.setItem(STORAGE_KEY, 'on')
}

export const turnNotificationsOff = (): void => localStorage.removeItem(STORAGE_KEY)

/** One for each chat with a message that was not there before; muted chats are left out. */
export function notifyOfNew(before: Unread, now: Unread): void {
  if (!readNotifyOption() || (!document.hidden && document.hasFocus())) return
  const fresh = listWaiting(now).filter(({ instance, chat }) => {
    const known = before.instances.get(instance.id)
    return known && isNewer(chat, known) && !chat.lastMessage.fromMe && !isMuted(chat)
  })
  for (const { instance, chat } of fresh.slice(0, MAX_SHOWN)) {
    const title = `${chat.wa_name || formatId(chat.id)} · ${instance.name}`
    const shown = showNotification(title, {
      body: describeLastMessage(chat),
      tag: `${instance.id} ${chat.id}`,
    })
    shown.onclick = () => {
      focus()
      location.hash = toHash('instances', instance.id, 'chats', chat.id)
      shown.close()
    }
  }
}

/** A chat beyond those that were asked for may only have come into sight. */
function isNewer(chat: ChatRecord, { chats, total }: InstanceUnread): boolean {
  const unlisted = total > chats.length ? (chats.at(-1)?.lastMessageTimestamp ?? 0) : 0
  const last = chats.find(({ id }) => id === chat.id)?.lastMessageTimestamp ?? unlisted
  return chat.lastMessageTimestamp > last
}

const showNotification = (title: string, options: NotificationOptions): Notification =>
  new Notification(title, options)
