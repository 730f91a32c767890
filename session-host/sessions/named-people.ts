// The people whom a message names: those it mentions, and the author of the message that it quotes, with what is known of them.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { isLid } from '@msgnet/shared/jid.ts'
import type { GroupMember, MessageContent, Person, Receipt } from '../driver/driver.ts'
import { createGrowingCache } from '../process/growing-cache.ts'
import { findByLid, findMembers, findNames, type StoredPerson } from '../store/people-store.ts'
import { MemberIds } from './member-ids.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

export type NamedFields = Pick<MessageRecord, 'mentions' | 'mentionsMe' | 'repliesToMe' | 'quotedSender'>

type Naming = Pick<MessageContent, 'mentioned' | 'mentionsAll' | 'quotedAuthor'> & {
  chat: Person
  sender: Person
  isGroup: boolean
  fromMe: boolean
}

/** Of a session: people who have no chat of their own, but write in groups. */
const MAX_NAMES = 256

const noFields: NamedFields = { mentions: [], mentionsMe: false, repliesToMe: false, quotedSender: '' }

export class NamedPeople {
  readonly #store: SessionDeps['store']
  readonly #state: StoredState
  /** By the id that a group uses. */
  readonly #names = createGrowingCache<string, string>(MAX_NAMES)
  readonly #members: MemberIds

  constructor(store: SessionDeps['store'], state: StoredState) {
    this.#store = store
    this.#state = state
    this.#members = new MemberIds(store, state.row.instance)
  }

  /** Members of groups name themselves with each message. */
  learnName({ pn, lid }: Person, name: string): void {
    if (name === '') return
    if (pn) this.#names.set(pn, name)
    if (lid) this.#names.set(lid, name)
  }

  /** The network names who changes a group by one id only. */
  async completeSender({ sender, chat, isGroup }: Naming): Promise<Person> {
    return isGroup ? this.#members.addOtherId(sender, chat.id) : sender
  }

  /** Of a message to a group. */
  async completeReceipt(receipt: Receipt): Promise<Receipt> {
    return { ...receipt, by: await this.#members.addOtherId(receipt.by, receipt.chat.id) }
  }

  clear(): void {
    this.#names.clear()
    this.#members.clear()
  }

  /** `known`: pairs of ids that the caller has. */
  async describe(message: Naming, known: readonly Person[] = []): Promise<NamedFields> {
    const { mentioned = [], mentionsAll = false, quotedAuthor = '', fromMe } = message
    if (mentioned.length === 0 && !mentionsAll && quotedAuthor === '') return noFields
    const ids = [...mentioned, quotedAuthor].filter(Boolean)
    const people = await this.#findPeople(message, known, ids)
    const names = mentioned.length > 0 ? await this.#findNames(people, mentioned) : new Map()
    const findPerson = (id: string) => people.get(id) ?? toPair(id)
    const author = findPerson(quotedAuthor)
    return {
      mentions: mentioned.map((id) => {
        const { pn, lid } = findPerson(id)
        return { jid: pn, lid, name: names.get(id) ?? '' }
      }),
      mentionsMe: !fromMe && (mentionsAll || mentioned.some((id) => this.#isOwn(findPerson(id)))),
      repliesToMe: !fromMe && quotedAuthor !== '' && this.#isOwn(author),
      quotedSender: author.pn || author.lid || quotedAuthor,
    }
  }

  /** The best known name of each member; the network rarely names one. */
  async nameMembers(members: readonly GroupMember[]): Promise<GroupMember[]> {
    const { jid, profileName } = this.#state.now
    const people = new Map(members.map((member) => [member.id, member]))
    const names = await this.#findNames(people, [...people.keys()])
    return members.map((member) => ({
      ...member,
      name: names.get(member.id) || (jid !== '' && member.pn === jid ? profileName : ''),
    }))
  }

  #isOwn({ pn, lid }: Pick<StoredPerson, 'pn' | 'lid'>): boolean {
    const { now } = this.#state
    return (pn !== '' && pn === now.jid) || (lid !== '' && lid === now.lid)
  }

  /** By the ids that the message uses: those in the chat first, then members of the group, then contacts and other chats. */
  async #findPeople(
    { chat, sender, isGroup }: Naming,
    known: readonly Person[],
    ids: string[],
  ): Promise<Map<string, StoredPerson>> {
    const { jid, lid, profileName } = this.#state.now
    const people = new Map<string, StoredPerson>()
    const listUnknown = () => ids.filter((id) => !people.has(id))
    const add = (found: StoredPerson[]) => {
      for (const person of found)
        for (const id of listUnknown()) if ([person.pn, person.lid].includes(id)) people.set(id, person)
    }
    add([{ pn: jid, lid, name: profileName }])
    const inChat = isGroup ? [sender] : [chat, sender]
    const pairs = [...inChat, ...known].filter(({ pn, lid }) => pn && lid)
    add(pairs.map(({ pn, lid }) => ({ pn, lid, name: '' })))
    const { instance } = this.#state.row
    if (isGroup && listUnknown().length > 0)
      add(await findMembers(this.#store, instance, chat.id, listUnknown()))
    const hidden = ids.filter((id) => isLid(id) && !people.get(id)?.pn)
    if (hidden.length > 0)
      for (const person of await findByLid(this.#store, instance, hidden))
        people.set(person.lid, { ...person, name: people.get(person.lid)?.name || person.name })
    return people
  }

  async #findNames(people: Map<string, StoredPerson>, ids: string[]): Promise<Map<string, string>> {
    const forms = new Map(
      ids.map((id) => {
        const { pn, lid } = people.get(id) ?? toPair(id)
        return [id, [pn, lid].filter(Boolean)]
      }),
    )
    const stored = await findNames(this.#store, this.#state.row.instance, [...forms.values()].flat())
    return new Map(
      [...forms].map(([id, own]) => {
        const found = own.map((form) => stored.get(form) ?? this.#names.get(form)).find(Boolean)
        return [id, found ?? people.get(id)?.name ?? '']
      }),
    )
  }
}

const toPair = (id: string): StoredPerson => ({ pn: isLid(id) ? '' : id, lid: isLid(id) ? id : '', name: '' })
