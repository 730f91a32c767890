// The groups of a session: read from the store, updated by events, and requested from the network where they are missing.

import { SECOND } from '../../shared/date-time.ts'
import { createRateLimiter } from '../../shared/rate-limiter.ts'
import type { Connection, GroupChange, NetworkGroup, NetworkOutcome, Person } from '../driver/driver.ts'
import {
  deleteGroup,
  deleteGroups,
  findGroup,
  isListComplete,
  listGroups,
  listGroupsWith,
  readGroupNames,
  replaceGroups,
  storeGroup,
} from '../store/group-store.ts'
import { applyGroupChange, changeAddressing, completeForms, hasEffect } from './group-changes.ts'
import { createGroupEvent, createJoinedEvent } from './group-records.ts'
import type { Intake } from './intake.ts'
import type { KnownGroups } from './message-changes.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

const BACKGROUND_MS = 30 * SECOND
/** A request within this time shares the running one. A later one is sent anew, because the first may have been lost. */
const SHARE_MS = SECOND / 2
/** Requests that callers may force: ten at once, and one more every six seconds. */
const FORCED = { burst: 10, everyMs: 6 * SECOND }

export type KnownGroup = NetworkOutcome<NetworkGroup>

export interface Groups extends KnownGroups {
  isKnown(jid: string): boolean
  /** The stored group; requested from the network if it is not stored. */
  findOrRequest(network: Connection, jid: string, deadline: AbortSignal): Promise<KnownGroup>
  /** Requests the group from the network, once for all concurrent callers. */
  requestGroup(network: Connection, jid: string, deadline: AbortSignal): Promise<KnownGroup>
  requestAllGroups(network: Connection, deadline: AbortSignal): Promise<NetworkOutcome<unknown>>
  /** Whether the network has listed all groups before; later changes came as events. */
  hasCompleteList(): Promise<boolean>
  listGroups(after: string, max: number): Promise<NetworkGroup[]>
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  /** The groups that a person is in, by any of the person's ids. */
  listSharedGroups(ids: string[]): Promise<Pick<NetworkGroup, 'jid' | 'subject'>[]>
  /** Whether a caller may force another request now. */
  mayForceRequest(): boolean
  storeGroup(group: NetworkGroup): Promise<void>
  /** A change that we made ourselves. A store that fails is only logged: the change is done. */
  applyChange(change: GroupChange): Promise<void>
  isOwnMember(person: { pn: string; lid: string }): boolean
  /** These four are events of the network. */
  handleJoin(group: NetworkGroup, by: Person): void
  handleChange(change: GroupChange): void
  handleAddressing(jid: string, addressing: NetworkGroup['addressing']): void
  handleList(groups: NetworkGroup[]): void
  /** For an account that is no longer linked: the next account has other groups. */
  deleteAll(): Promise<void>
  /** Called after login: requests the list of groups if it was never requested. */
  handleLogin(network: Connection): void
}

export function createGroups({ store, log }: SessionDeps, state: StoredState, intake: Intake): Groups {
  const { instance } = state.row
  const names = new Map<string, string>()
  const requests = new Map<string, { since: number; answer: Promise<NetworkOutcome<unknown>> }>()
  /** Groups stored while the list was requested: the list may not have them. */
  const meanwhile = new Map<string, NetworkGroup>()
  const lists = { begun: 0, stored: 0, underway: 0 }
  const forced = createRateLimiter(FORCED, () => performance.now())
  const logFailure = (error: unknown) => log.error({ instance, err: error }, 'groups cannot be read')
  const loaded = readGroupNames(store, instance).then((found) => {
    for (const [jid, subject] of found) if (!names.has(jid)) names.set(jid, subject)
  })
  loaded.catch(logFailure)

  const isOwnMember = ({ pn, lid }: { pn: string; lid: string }) => {
    const { now } = state
    return (pn !== '' && pn === now.jid) || (lid !== '' && lid === now.lid)
  }

  async function updateGroup(group: NetworkGroup): Promise<void> {
    if (lists.underway > 0) meanwhile.set(group.jid, group)
    names.set(group.jid, group.subject)
    await store.commitFor(instance, [storeGroup(store, instance, group)])
  }
  async function removeGroup(jid: string): Promise<void> {
    meanwhile.delete(jid)
    names.delete(jid)
    await store.commitFor(instance, [deleteGroup(store, instance, jid)])
  }
  async function updateAllGroups(all: NetworkGroup[]): Promise<void> {
    names.clear()
    for (const { jid, subject } of all) names.set(jid, subject)
    await store.commitFor(instance, replaceGroups(store, instance, all))
  }

  /** Shares a running request instead of sending it twice. */
  function shareRequest<Value>(
    key: string,
    request: () => Promise<NetworkOutcome<Value>>,
  ): Promise<NetworkOutcome<Value>> {
    const running = requests.get(key)
    const now = performance.now()
    if (running && now - running.since < SHARE_MS) return running.answer as Promise<NetworkOutcome<Value>>
    const answer: Promise<NetworkOutcome<Value>> = request().finally(() => {
      if (requests.get(key)?.answer === answer) requests.delete(key)
    })
    requests.set(key, { since: now, answer })
    return answer
  }

  const requestGroup = (network: Connection, jid: string, deadline: AbortSignal) =>
    shareRequest(jid, async () => {
      const answer = await network.groups.getGroup(jid, deadline)
      if (answer.kind === 'done') await updateGroup(answer.value)
      // The group does not exist, or we are no longer in it.
      else if (answer.kind === 'refused' && [403, 404].includes(answer.code)) await removeGroup(jid)
      return answer
    })

  /** Ignores a list that arrives after the answer to a later request. */
  async function storeList(
    answer: NetworkOutcome<NetworkGroup[]>,
    number: number,
  ): Promise<NetworkOutcome<unknown>> {
    if (answer.kind !== 'done' || number < lists.stored) return answer
    lists.stored = number
    const listed = new Set(answer.value.map(({ jid }) => jid))
    const listMissed = () => [...meanwhile.values()].filter(({ jid }) => !listed.has(jid))
    await updateAllGroups([...answer.value, ...listMissed()])
    for (const group of listMissed()) await updateGroup(group)
    return answer
  }

  const requestAllGroups = (network: Connection, deadline: AbortSignal) =>
    shareRequest('', async () => {
      if (lists.underway === 0) meanwhile.clear()
      lists.underway += 1
      const number = ++lists.begun
      try {
        return await storeList(await network.groups.listGroups(deadline), number)
      } finally {
        lists.underway -= 1
      }
    })

  async function applyStoredChange(change: GroupChange): Promise<void> {
    if (change.left.some(isOwnMember)) return removeGroup(change.jid)
    const group = await findGroup(store, instance, change.jid)
    if (group && hasEffect(group, change)) await updateGroup(applyGroupChange(group, change))
  }

  return {
    getName: (jid) => names.get(jid) ?? '',
    isKnown: (jid) => names.has(jid),
    async findOrRequest(network, jid, deadline) {
      const group = await findGroup(store, instance, jid)
      return group ? { kind: 'done', value: group } : requestGroup(network, jid, deadline)
    },
    requestGroup,
    requestAllGroups,
    hasCompleteList: () => isListComplete(store, instance),
    listGroups: (after, max) => listGroups(store, instance, after, max),
    findGroup: (jid) => findGroup(store, instance, jid),
    listSharedGroups: (ids) => listGroupsWith(store, instance, ids),
    mayForceRequest: () => forced.acquire() === 0,
    storeGroup: (group) => updateGroup(group).catch(logFailure),
    applyChange: (change) => applyStoredChange(change).catch(logFailure),
    isOwnMember,
    async mayRemove(jid, { sender, sender_pn, sender_lid, fromMe }) {
      if (fromMe) return true
      const spellings = [sender, sender_pn, sender_lid].filter(Boolean)
      const group = await findGroup(store, instance, jid)
      const member = group?.members.find(({ id, pn, lid }) =>
        [id, pn, lid].some((one) => spellings.includes(one)),
      )
      return member?.role !== 'member'
    },
    handleJoin: (group, by) =>
      intake.enqueue(async (batch) => {
        await updateGroup(group)
        batch.addEvents(createJoinedEvent(group, by))
      }),
    handleChange: (change) =>
      intake.enqueue(async (batch) => {
        const whole = completeForms(await findGroup(store, instance, change.jid), change)
        await applyStoredChange(whole)
        batch.addEvents(createGroupEvent(whole))
      }),
    handleAddressing: (jid, addressing) =>
      intake.enqueue(async () => {
        const group = await findGroup(store, instance, jid)
        if (group && group.addressing !== addressing) await updateGroup(changeAddressing(group, addressing))
      }),
    handleList: (all) => void updateAllGroups(all).catch(logFailure),
    async deleteAll() {
      names.clear()
      await store.commitFor(instance, [deleteGroups(store, instance)])
    },
    handleLogin(network) {
      const listing = isListComplete(store, instance).then(async (listed) => {
        if (!listed) await requestAllGroups(network, AbortSignal.timeout(BACKGROUND_MS))
      })
      listing.catch(logFailure)
    },
  }
}
