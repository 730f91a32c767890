// Subscribed presence: the chats of an instance that callers watch, subscribed again after each login, and what the network says of them.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { isGroup } from '@msgnet/shared/jid.ts'
import type { Connection, NetworkPresence, Person } from '../driver/driver.ts'
import {
  addSubscribedChat,
  deleteSubscribedChat,
  deleteSubscribedChats,
  listSubscribedChats,
} from '../store/presence-store.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

const RENEWAL_MS = 60 * SECOND

export class PresenceWatch {
  readonly #deps: Pick<SessionDeps, 'store' | 'presence' | 'log'>
  readonly #state: StoredState
  /** The LID of each subscribed chat, by the chat's id; undefined until it was read. */
  #chats: Map<string, string> | undefined
  #network: Connection | undefined
  /** In turn, so that the look-up of a person does not change the order of two states. */
  #reports: Promise<unknown> = Promise.resolve()

  constructor(deps: Pick<SessionDeps, 'store' | 'presence' | 'log'>, state: StoredState) {
    this.#deps = deps
    this.#state = state
  }

  /** Called after login. A failure is logged: the next login tries again. */
  handleLogin(network: Connection): void {
    this.#network = network
    this.#renew(network).catch((error) => {
      const { instance } = this.#state.row
      this.#deps.log.error({ instance, error }, 'failed to renew presence subscriptions')
    })
  }

  /** States of chats that are not subscribed are dropped. */
  handlePresence(news: NetworkPresence): void {
    const chatid = this.#findChat(news.chat)
    if (chatid === undefined) return
    this.#reports = this.#reports
      .then(() => this.#report(chatid, news))
      .catch((error) => {
        const { instance } = this.#state.row
        this.#deps.log.warn({ instance, error }, 'failed to report presence')
      })
  }

  /** The number of subscribed chats, `chat` included; undefined when there is no place for it. */
  async countWith(chat: Person): Promise<number | undefined> {
    const chats = await this.#loadChats()
    const count = listForms(chats, chat).length > 0 ? chats.size : chats.size + 1
    return count > limits.maxPresenceChats ? undefined : count
  }

  /** Returns the number of subscribed chats. */
  async storeChat(chat: Person, subscribed: boolean): Promise<number> {
    const { store } = this.#deps
    const { instance } = this.#state.row
    const chats = await this.#loadChats()
    const chatid = chat.pn || chat.id
    const { lid } = chat
    // The same person may have been subscribed when only one of the two ids was known.
    const known = listForms(chats, chat)
    const statements = known.map((form) => deleteSubscribedChat(store, instance, form))
    if (subscribed) statements.push(addSubscribedChat(store, instance, { chatid, lid }))
    await store.commitFor(instance, statements)
    for (const form of known) chats.delete(form)
    if (subscribed) chats.set(chatid, lid)
    return chats.size
  }

  /** What the caller shows of the account itself. Others are shown only to those who are online. */
  async storeOnline(online: boolean): Promise<void> {
    if (this.#state.row.online !== online) await this.#state.storeOnline(online)
  }

  /** For an account that is no longer linked. */
  async deleteAll(): Promise<void> {
    const { instance } = this.#state.row
    await this.#deps.store.commitFor(instance, [deleteSubscribedChats(this.#deps.store, instance)])
    this.#chats = undefined
    await this.storeOnline(false)
  }

  async #renew(network: Connection): Promise<void> {
    const chats = await this.#loadChats()
    if (chats.size === 0) return
    const deadline = AbortSignal.timeout(RENEWAL_MS)
    if (this.#state.row.online) await network.account.showPresence('available', deadline)
    for (const chatid of chats.keys()) {
      const outcome = await network.subscribePresence(chatid, deadline)
      // The next connection renews them.
      if (outcome.kind !== 'done') return
    }
  }

  async #loadChats(): Promise<Map<string, string>> {
    if (this.#chats) return this.#chats
    const rows = await listSubscribedChats(this.#deps.store, this.#state.row.instance)
    this.#chats ??= new Map(rows.map(({ chatid, lid }) => [chatid, lid]))
    return this.#chats
  }

  #findChat(id: string): string | undefined {
    const chats = this.#chats
    if (!chats?.size) return undefined
    if (chats.has(id)) return id
    for (const [chatid, lid] of chats) if (lid === id) return chatid
    return undefined
  }

  async #report(number: string, { by, state, lastSeen }: NetworkPresence): Promise<void> {
    const { row, owner } = this.#state
    const known = await this.#network?.findKnownIds(by)
    this.#deps.presence.add({
      instance: row.instance,
      epoch: row.epoch,
      id: crypto.randomUUID(),
      owner,
      at: Date.now(),
      event: {
        number,
        state,
        lastSeen,
        Sender: known?.pn || by,
        sender_pn: known?.pn ?? '',
        sender_lid: known?.lid ?? '',
        IsGroup: isGroup(number),
      },
    })
  }
}

/** The chats, by number or LID, that are this one. */
const listForms = (chats: Map<string, string>, { id, pn, lid }: Person): string[] => {
  const forms = [id, pn, lid].filter((form) => form !== '')
  return [...chats]
    .filter(([chatid, its]) => forms.includes(chatid) || forms.includes(its))
    .map(([chatid]) => chatid)
}
