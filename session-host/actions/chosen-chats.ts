// The chats that a caller may see: every spelling of an address counts, both forms of a number, and both ids of a person.

import { isGroup, isLid, PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import { findOtherForm } from '@msgnet/shared/number-spellings.ts'
import type { Session } from '../sessions/host-session.ts'
import { findStoredPairs } from '../store/identity-store.ts'
import type { ChatChoice } from '../store/match-choice.ts'
import { findMembers } from '../store/people-store.ts'

export class ChosenChats {
  readonly choice: ChatChoice
  readonly #session: Session
  readonly #ids: ReadonlySet<string>

  private constructor(session: Session, choice: ChatChoice) {
    this.choice = choice
    this.#session = session
    this.#ids = new Set(choice.ids)
  }

  /** `chats`: ids, `groups` or `people`, as a token has them. */
  static async create(session: Session, chats: readonly string[]): Promise<ChosenChats> {
    const ids = chats.filter((chat) => chat.includes('@'))
    return new ChosenChats(session, {
      ids: [...(await listAllForms(session, ids))],
      groups: chats.includes('groups'),
      people: chats.includes('people'),
    })
  }

  /** Whether one of these ids of a chat, as it is stored, is that of a chosen one. */
  includes(...ids: string[]): boolean {
    const { groups, people } = this.choice
    return ids.some(
      (id) =>
        this.#ids.has(id) || (groups && isGroup(id)) || (people && (isLid(id) || id.endsWith(PERSON_SUFFIX))),
    )
  }

  /** The same for an id in whatever form a request has it. */
  async includesNamed(id: string): Promise<boolean> {
    if (this.includes(id)) return true
    return !isGroup(id) && this.includes(...(await listAllForms(this.#session, [id])))
  }

  /** Whether a message to this chosen chat may name a person, which tells both ids and the name: who is in it, or in a chosen one. */
  async includesPerson(id: string, chat: string): Promise<boolean> {
    if (await this.includesNamed(id)) return true
    const { store, instance, state } = this.#session
    const forms = [...(await listAllForms(this.#session, [id]))]
    if (forms.some((one) => one === state.now.jid || one === state.now.lid)) return true
    return isGroup(chat) && (await findMembers(store, instance, chat, forms)).length > 0
  }

  /** Whether a message is in a chosen chat; what is stored nowhere is, because its action says that it is not there. */
  async includesMessage(id: string): Promise<boolean> {
    const { intake, schedule } = this.#session
    const stored = (await intake.findMessage(id)) ?? (await schedule.findRow(id))
    if (stored) return this.includes(stored.record.chatid, stored.record.chatlid)
    const lost = intake.lost.find(id)
    return lost === undefined || this.includesNamed(lost.chatid)
  }
}

async function listAllForms(session: Session, ids: string[]): Promise<Set<string>> {
  const spellings = addOtherForms(ids)
  const people = spellings.filter((id) => !isGroup(id))
  const pairs = await findStoredPairs(session.store, session.instance, people)
  const known = await Promise.all(people.map((id) => session.network?.findKnownIds(id)))
  const others = [...pairs, ...known.filter((one) => one !== undefined)].flatMap(({ pn, lid }) => [pn, lid])
  return new Set([...spellings, ...addOtherForms(others.filter(Boolean))])
}

const addOtherForms = (ids: string[]): string[] =>
  ids.flatMap((id) => [id, ...[findOtherForm(id) ?? []].flat()])
