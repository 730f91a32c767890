// The groups of a session: read from the store, updated by events, and requested from the network where they are missing.

import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { RateLimiter } from '@msgnet/shared/rate-limiter.ts'
import { GROUP_NAME } from '../canary/marked-messages.ts'
import type { Connection, GroupChange, NetworkGroup, NetworkOutcome, Person } from '../driver/driver.ts'
import { addGroupChats } from '../store/chat-store.ts'
import {
  deleteGroup,
  deleteGroups,
  findGroup,
  isListComplete,
  listGroupHeads,
  listGroups,
  listGroupsWith,
  readGroupNames,
  replaceGroups,
  storeGroup,
} from '../store/group-store.ts'
import type { TimedGroups } from './chat-timers.ts'
import { applyGroupChange, changeAddressing, completeForms, emptyChange, hasEffect } from './group-changes.ts'
import { createGroupEvent, createJoinedEvent, toGroupRecord } from './group-records.ts'
import type { Intake } from './intake.ts'
import type { KnownGroups } from './message-changes.ts'
import type { Origin } from './message-lookup.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

const BACKGROUND_MS = 30 * SECOND
/** A request within this time shares the running one. A later one is sent anew, because the first may have been lost. */
const SHARE_MS = SECOND / 2
/** Requests that callers may force: ten at once, and one more every six seconds. */
const FORCED = { burst: 10, everyMs: 6 * SECOND }

export type KnownGroup = NetworkOutcome<NetworkGroup>

export class Groups implements KnownGroups, TimedGroups {
  readonly #deps: Pick<SessionDeps, 'store' | 'log'>
  readonly #state: StoredState
  readonly #intake: Intake
  readonly #names = new Map<string, string>()
  /** Seconds after which messages disappear, of groups that were written to. */
  readonly #timers = new Map<string, Promise<number>>()
  /** Running requests by group; the empty name is the list of all groups. */
  readonly #requests = new Map<string, { since: number; answer: Promise<NetworkOutcome<unknown>> }>()
  /** Groups stored while the list was requested: the list may not have them. */
  readonly #meanwhile = new Map<string, NetworkGroup>()
  readonly #lists = { begun: 0, stored: 0, underway: 0 }
  readonly #forced = new RateLimiter(FORCED, () => performance.now())

  constructor(deps: Pick<SessionDeps, 'store' | 'log'>, state: StoredState, intake: Intake) {
    this.#deps = deps
    this.#state = state
    this.#intake = intake
  }

  /** Before the first message of the session, which names its group. */
  async load(): Promise<void> {
    const found = await readGroupNames(this.#deps.store, this.#instance)
    for (const [jid, subject] of found) if (!this.#names.has(jid)) this.#names.set(jid, subject)
  }

  getName(jid: string): string {
    return this.#names.get(jid) ?? ''
  }

  isKnown(jid: string): boolean {
    return this.#names.has(jid)
  }

  /** The stored group; requested from the network if it is not stored. */
  async findOrRequest(network: Connection, jid: string, deadline: AbortSignal): Promise<KnownGroup> {
    const group = await this.findGroup(jid)
    return group ? { kind: 'done', value: group } : this.requestGroup(network, jid, deadline)
  }

  /** Requests the group from the network, once for all concurrent callers. */
  requestGroup(network: Connection, jid: string, deadline: AbortSignal): Promise<KnownGroup> {
    return this.#shareRequest(jid, async () => {
      const answer = await network.groups.getGroup(jid, deadline)
      if (answer.kind === 'done') await this.#runInTurn(() => this.#updateGroup(answer.value))
      // The group does not exist, or we are no longer in it.
      else if (answer.kind === 'refused' && [403, 404].includes(answer.code))
        await this.#runInTurn(() => this.#removeGroup(jid))
      return answer
    })
  }

  requestAllGroups(network: Connection, deadline: AbortSignal): Promise<NetworkOutcome<unknown>> {
    const lists = this.#lists
    return this.#shareRequest('', async () => {
      if (lists.underway === 0) this.#meanwhile.clear()
      lists.underway += 1
      lists.begun += 1
      const number = lists.begun
      try {
        const answer = await network.groups.listGroups(deadline)
        if (answer.kind === 'done') await this.#runInTurn(() => this.#storeList(answer.value, number))
        return answer
      } finally {
        lists.underway -= 1
      }
    })
  }

  /** Whether the network has listed all groups before; later changes came as events. */
  hasCompleteList(): Promise<boolean> {
    return isListComplete(this.#deps.store, this.#instance)
  }

  /** A page in the order of their ids. */
  listRecords(
    { after, max, participants }: { after: string; max: number; participants: boolean },
    deadline: AbortSignal,
  ): Promise<{ records: GroupRecord[]; hasMore: boolean }> {
    const { heavyReads } = this.#deps.store
    const { jid, lid } = this.#state.now
    const page = { instance: this.#instance, after, max }
    return heavyReads.run(
      page.instance,
      async (reader) => {
        const { found, hasMore } = participants
          ? await listGroups(reader, page)
          : await listGroupHeads(reader, page, [jid, lid].filter(Boolean))
        const options = { participants }
        const records = found.map(({ group, size }) =>
          toGroupRecord(group, this.isOwnMember, size === undefined ? options : { ...options, size }),
        )
        return { records, hasMore }
      },
      deadline,
    )
  }

  findGroup(jid: string): Promise<NetworkGroup | undefined> {
    return findGroup(this.#deps.store, this.#instance, jid)
  }

  /** The groups that a person is in, by any of the person's ids. */
  listSharedGroups(ids: string[], deadline: AbortSignal): Promise<Pick<NetworkGroup, 'jid' | 'subject'>[]> {
    const { heavyReads } = this.#deps.store
    return heavyReads.run(this.#instance, (reader) => listGroupsWith(reader, this.#instance, ids), deadline)
  }

  /** Whether a caller may force another request now. */
  mayForceRequest(): boolean {
    return this.#forced.acquire() === 0
  }

  async storeGroup(group: NetworkGroup): Promise<void> {
    await this.#runInTurn(() => this.#updateGroup(group)).catch((error) => this.#logFailure(error))
  }

  /** A change that we made ourselves. A store that fails is only logged: the change is done. */
  async applyChange(change: GroupChange): Promise<void> {
    await this.#runInTurn(() => this.#applyStoredChange(change)).catch((error) => this.#logFailure(error))
  }

  /** Behind what the network reported before it, and not beside another change, which would undo it: each builds on what is stored. */
  #runInTurn(work: () => Promise<void>): Promise<void> {
    return this.#intake.runInBatch(work)
  }

  findTimer(jid: string): Promise<number> {
    const known = this.#timers.get(jid)
    if (known !== undefined) return known
    const read = this.#readTimer(jid).catch((error) => {
      this.#timers.delete(jid)
      throw error
    })
    this.#timers.set(jid, read)
    return read
  }

  async #readTimer(jid: string): Promise<number> {
    return (await this.findGroup(jid))?.ephemeral ?? 0
  }

  /** A member has set it. */
  changeTimer(jid: string, seconds: number): Promise<void> {
    return this.#applyStoredChange({ ...emptyChange, jid, settings: { ephemeral: seconds } })
  }

  /** An arrow function, because it is passed on. */
  readonly isOwnMember = ({ pn, lid }: { pn: string; lid: string }): boolean => {
    const { now } = this.#state
    return (pn !== '' && pn === now.jid) || (lid !== '' && lid === now.lid)
  }

  async mayRemove(jid: string, { sender, sender_pn, sender_lid, fromMe }: Origin): Promise<boolean> {
    if (fromMe) return true
    const forms = [sender, sender_pn, sender_lid].filter(Boolean)
    const group = await this.findGroup(jid)
    const member = group?.members.find(({ id, pn, lid }) => [id, pn, lid].some((one) => forms.includes(one)))
    return member?.role !== 'member'
  }

  /** This and the next three are events of the network. */
  handleJoin(group: NetworkGroup, by: Person, at?: number): void {
    this.#intake.enqueue(async (batch) => {
      await this.#updateGroup(group)
      batch.addEvents(createJoinedEvent(group, by, at))
    })
  }

  handleChange(change: GroupChange): void {
    this.#intake.enqueue(async (batch) => {
      const whole = completeForms(await this.findGroup(change.jid), change)
      await this.#applyStoredChange(whole)
      batch.addEvents(createGroupEvent(whole))
    })
  }

  handleAddressing(jid: string, addressing: NetworkGroup['addressing']): void {
    this.#intake.enqueue(async () => {
      const group = await this.findGroup(jid)
      if (group && group.addressing !== addressing)
        await this.#updateGroup(changeAddressing(group, addressing))
    })
  }

  handleList(groups: NetworkGroup[]): void {
    this.#runInTurn(() => this.#updateAllGroups(groups)).catch((error) => this.#logFailure(error))
  }

  /** For an account that is no longer linked: the next account has other groups. */
  async deleteAll(): Promise<void> {
    await this.#runInTurn(async () => {
      this.#names.clear()
      await this.#commit([deleteGroups(this.#deps.store, this.#instance)])
    })
  }

  /** Called after login: requests the list of groups if it was never requested. */
  handleLogin(network: Connection): void {
    const listing = this.hasCompleteList().then(async (complete) => {
      if (!complete) await this.requestAllGroups(network, AbortSignal.timeout(BACKGROUND_MS))
    })
    listing.catch((error) => this.#logFailure(error))
  }

  get #instance(): string {
    return this.#state.row.instance
  }

  #logFailure(error: unknown): void {
    this.#deps.log.error({ instance: this.#instance, error }, 'failed to read or store groups')
  }

  async #updateGroup(group: NetworkGroup): Promise<void> {
    const { store } = this.#deps
    const { jid, subject } = group
    if (this.#lists.underway > 0) this.#meanwhile.set(jid, group)
    this.#names.set(jid, subject)
    const chats = addGroupChats(this.#instance, toChats([group], Date.now()))
    await this.#commit([chats, storeGroup(store, this.#instance, group)], jid)
  }

  async #removeGroup(jid: string): Promise<void> {
    const { store } = this.#deps
    this.#meanwhile.delete(jid)
    this.#names.delete(jid)
    await this.#commit([deleteGroup(store, this.#instance, jid)], jid)
  }

  async #updateAllGroups(all: NetworkGroup[]): Promise<void> {
    const { store } = this.#deps
    this.#names.clear()
    for (const { jid, subject } of all) this.#names.set(jid, subject)
    await this.#commit([
      addGroupChats(this.#instance, toChats(all)),
      ...replaceGroups(store, this.#instance, all),
    ])
  }

  /** Of one group, or of all. What was read of its timer before this, or beside it, may not be so any more. */
  async #commit(statements: Statement[], jid?: string): Promise<void> {
    await this.#deps.store.commitFor(this.#instance, statements).finally(() => {
      if (jid === undefined) this.#timers.clear()
      else this.#timers.delete(jid)
    })
  }

  async #applyStoredChange(change: GroupChange): Promise<void> {
    if (change.left.some(this.isOwnMember)) return this.#removeGroup(change.jid)
    const group = await this.findGroup(change.jid)
    if (group && hasEffect(group, change)) await this.#updateGroup(applyGroupChange(group, change))
  }

  /** Ignores a list that arrives after the answer to a later request. */
  async #storeList(groups: NetworkGroup[], number: number): Promise<void> {
    if (number < this.#lists.stored) return
    this.#lists.stored = number
    const listed = new Set(groups.map(({ jid }) => jid))
    await this.#updateAllGroups([
      ...groups,
      ...[...this.#meanwhile.values()].filter(({ jid }) => !listed.has(jid)),
    ])
  }

  /** Shares a running request instead of sending it twice. */
  #shareRequest<Value>(
    key: string,
    request: () => Promise<NetworkOutcome<Value>>,
  ): Promise<NetworkOutcome<Value>> {
    const running = this.#requests.get(key)
    const now = performance.now()
    if (running && now - running.since < SHARE_MS) return running.answer as Promise<NetworkOutcome<Value>>
    const answer: Promise<NetworkOutcome<Value>> = request().finally(() => {
      if (this.#requests.get(key)?.answer === answer) this.#requests.delete(key)
    })
    this.#requests.set(key, { since: now, answer })
    return answer
  }
}

/** Those that are chats before anybody writes. Nothing of the canary's group is stored as a message, so it stays none. */
const toChats = (groups: NetworkGroup[], at?: number) =>
  groups
    .filter(({ subject }) => subject !== GROUP_NAME)
    .map(({ jid, subject, created }) => ({ jid, subject, at: at ?? created }))
