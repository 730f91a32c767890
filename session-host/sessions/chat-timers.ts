// After how many seconds messages of a chat disappear: learned from whoever sets it, found for what is sent there.

import { disappearingTimers } from '@msgnet/shared/contract/setting-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import type { ChatTimer, NetworkMessage, Person } from '../driver/driver.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { readTimers, storeTimer } from '../store/setting-store.ts'
import type { Batch } from './intake-batch.ts'

/** The part of the groups that this needs: the network names the timer of a group with the group itself. */
export interface TimedGroups {
  findTimer(jid: string): Promise<number>
  changeTimer(jid: string, seconds: number): Promise<void>
}

interface TimedChat {
  chat: Person
  isGroup: boolean
}

/** Its calls run in turn with the other news of the session, so that what it knows is what is stored. */
export class ChatTimers {
  readonly #store: FencedStore
  readonly #instance: string
  readonly #getGroups: () => TimedGroups
  /** By the id of the person; undefined until it is first needed. */
  #known: Promise<Map<string, ChatTimer>> | undefined
  /** The same of what is not on disk yet, by its batch: one batch may have several messages of a chat. */
  readonly #unstored = new WeakMap<Batch, Map<string, ChatTimer>>()

  constructor(store: FencedStore, instance: string, getGroups: () => TimedGroups) {
    this.#store = store
    this.#instance = instance
    this.#getGroups = getGroups
  }

  /** Undefined for a chat whose messages stay. */
  async find({ chat, isGroup }: TimedChat): Promise<ChatTimer | undefined> {
    if (isGroup) {
      const seconds = await this.#getGroups().findTimer(chat.id)
      return seconds > 0 ? { seconds, setAt: 0 } : undefined
    }
    const known = await this.#read()
    const timer = findNewest(chat, (id) => known.get(id))
    return timer && timer.seconds > 0 ? timer : undefined
  }

  /** Somebody has set it. */
  async change(batch: Batch, { chat, isGroup }: TimedChat, timer: ChatTimer): Promise<void> {
    if (isGroup) await this.#getGroups().changeTimer(chat.id, timer.seconds)
    else await this.learn(batch, chat, timer)
  }

  /** Of a group the network tells the timer itself, and a status post ends after a day whatever it says. */
  async learnFrom(batch: Batch, { timer, type, chat, isGroup, at }: NetworkMessage): Promise<void> {
    if (timer && type !== 'timer' && !isGroup && chat.id !== STATUS_JID)
      await this.learn(batch, chat, { ...timer, setAt: timer.setAt || at })
  }

  /** A message of a person, or the phone's list of chats, says how it is set. What was set later than that stays. */
  async learn(batch: Batch, chat: Person, { seconds, setAt }: ChatTimer): Promise<void> {
    if (!disappearingTimers.some((one) => one === seconds)) return
    // The network counts seconds: of two changes within one the later to come counts.
    const timer = { seconds, setAt: Math.floor(setAt / SECOND) * SECOND }
    const known = await this.#read()
    const [id = ''] = listIds(chat)
    const unstored = this.#unstored.get(batch) ?? new Map<string, ChatTimer>()
    this.#unstored.set(batch, unstored)
    const before = findNewest(chat, (one) => unstored.get(one) ?? known.get(one))
    if (before ? timer.setAt < before.setAt || timer.seconds === before.seconds : timer.seconds === 0) return
    batch.addStatement(storeTimer(this.#store, this.#instance, id, timer))
    unstored.set(id, timer)
    batch.onCommitted(() => known.set(id, timer))
  }

  /** For another account, or when another host may have stored some. */
  clear(): void {
    this.#known = undefined
  }

  #read(): Promise<Map<string, ChatTimer>> {
    this.#known ??= readTimers(this.#store, this.#instance).catch((error) => {
      this.clear()
      throw error
    })
    return this.#known
  }
}

const listIds = ({ id, pn, lid }: Person): string[] => [pn, id, lid].filter(Boolean)

/** Somebody may have been known by one id only when another was set. */
const findNewest = (chat: Person, find: (id: string) => ChatTimer | undefined): ChatTimer | undefined =>
  listIds(chat)
    .flatMap((id) => find(id) ?? [])
    .toSorted((one, other) => other.setAt - one.setAt)[0]
