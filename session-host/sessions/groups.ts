// The groups of a session: read from the store, updated by events, and requested from the network where they are missing.

import { SECOND } from '../../shared/clock.ts'
import { makeMeter } from '../../shared/meter.ts'
import type { Answer, Connection, GroupChange, NetworkGroup, Person } from '../driver/driver.ts'
import {
  areListed,
  findGroup,
  forgetGroup,
  forgetGroups,
  groupNames,
  groupsWith,
  keepAllGroups,
  keepGroup,
  listGroups,
} from '../store/groups.ts'
import type { KnownGroups } from './changes.ts'
import type { SessionDeps } from './deps.ts'
import { applied, concerns, readdressed, spelledOut } from './group-changes.ts'
import { groupEvent, joinedEvent } from './group-reporting.ts'
import type { Intake } from './intake.ts'
import type { KeptState } from './kept-state.ts'

const BACKGROUND_MS = 30 * SECOND
/** A request within this time shares the running one. A later one is sent anew, because the first may have been lost. */
const SHARED_MS = SECOND / 2
/** Requests that callers may force: ten at once, and one more every six seconds. */
const FORCED = { burst: 10, everyMs: 6 * SECOND }

export type Known = Answer<NetworkGroup>

export interface Groups extends KnownGroups {
  knows(jid: string): boolean
  /** The stored group; requested from the network if it is not stored. */
  ready(network: Connection, jid: string, deadline: AbortSignal): Promise<Known>
  /** Requests the group from the network, once for all concurrent callers. */
  ask(network: Connection, jid: string, deadline: AbortSignal): Promise<Known>
  askAll(network: Connection, deadline: AbortSignal): Promise<Answer<unknown>>
  /** Whether the network has listed all groups before; later changes came as events. */
  listed(): Promise<boolean>
  list(after: string, most: number): Promise<NetworkGroup[]>
  find(jid: string): Promise<NetworkGroup | undefined>
  /** The groups that a person is in, by any of the person's ids. */
  with(ids: string[]): Promise<Pick<NetworkGroup, 'jid' | 'subject'>[]>
  /** Whether a caller may force another request now. */
  mayForce(): boolean
  keep(group: NetworkGroup): Promise<void>
  /** A change that we made ourselves. A store that fails is only logged: the change is done. */
  apply(change: GroupChange): Promise<void>
  isOwn(person: { pn: string; lid: string }): boolean
  /** These four are events of the network. */
  joined(group: NetworkGroup, by: Person): void
  changed(change: GroupChange): void
  addressed(jid: string, addressing: NetworkGroup['addressing']): void
  relisted(groups: NetworkGroup[]): void
  /** For an account that is no longer linked: the next account has other groups. */
  forgetAll(): Promise<void>
  /** Called after login: requests the list of groups if it was never requested. */
  opened(network: Connection): void
}

export function makeGroups({ store, log }: SessionDeps, state: KeptState, intake: Intake): Groups {
  const { instance } = state.row
  const names = new Map<string, string>()
  const asking = new Map<string, { since: number; answer: Promise<Answer<unknown>> }>()
  /** Groups stored while the list was requested: the list may not have them. */
  const meanwhile = new Map<string, NetworkGroup>()
  const lists = { begun: 0, kept: 0, underway: 0 }
  const forced = makeMeter(FORCED, () => performance.now())
  const failed = (thrown: unknown) => log.error({ instance, err: thrown }, 'groups cannot be read')
  const loaded = groupNames(store, instance).then((found) => {
    for (const [jid, subject] of found) if (!names.has(jid)) names.set(jid, subject)
  })
  loaded.catch(failed)

  const isOwn = ({ pn, lid }: { pn: string; lid: string }) => {
    const { now } = state
    return (pn !== '' && pn === now.jid) || (lid !== '' && lid === now.lid)
  }

  async function keep(group: NetworkGroup): Promise<void> {
    if (lists.underway > 0) meanwhile.set(group.jid, group)
    names.set(group.jid, group.subject)
    await store.commitFor(instance, [keepGroup(store, instance, group)])
  }
  async function forget(jid: string): Promise<void> {
    meanwhile.delete(jid)
    names.delete(jid)
    await store.commitFor(instance, [forgetGroup(store, instance, jid)])
  }
  async function keepAll(all: NetworkGroup[]): Promise<void> {
    names.clear()
    for (const { jid, subject } of all) names.set(jid, subject)
    await store.commitFor(instance, keepAllGroups(store, instance, all))
  }

  /** Shares a running request instead of sending it twice. */
  function once<Value>(key: string, request: () => Promise<Answer<Value>>): Promise<Answer<Value>> {
    const running = asking.get(key)
    const now = performance.now()
    if (running && now - running.since < SHARED_MS) return running.answer as Promise<Answer<Value>>
    const answer: Promise<Answer<Value>> = request().finally(() => {
      if (asking.get(key)?.answer === answer) asking.delete(key)
    })
    asking.set(key, { since: now, answer })
    return answer
  }

  const ask = (network: Connection, jid: string, deadline: AbortSignal) =>
    once(jid, async () => {
      const answer = await network.groups.one(jid, deadline)
      if (answer.kind === 'done') await keep(answer.value)
      // The group does not exist, or we are no longer in it.
      else if (answer.kind === 'refused' && [403, 404].includes(answer.code)) await forget(jid)
      return answer
    })

  /** Ignores a list that arrives after the answer to a later request. */
  async function keptList(answer: Answer<NetworkGroup[]>, number: number): Promise<Answer<unknown>> {
    if (answer.kind !== 'done' || number < lists.kept) return answer
    lists.kept = number
    const listed = new Set(answer.value.map(({ jid }) => jid))
    const others = () => [...meanwhile.values()].filter(({ jid }) => !listed.has(jid))
    await keepAll([...answer.value, ...others()])
    for (const group of others()) await keep(group)
    return answer
  }

  const askAll = (network: Connection, deadline: AbortSignal) =>
    once('', async () => {
      if (lists.underway === 0) meanwhile.clear()
      lists.underway += 1
      const number = ++lists.begun
      try {
        return await keptList(await network.groups.all(deadline), number)
      } finally {
        lists.underway -= 1
      }
    })

  async function apply(change: GroupChange): Promise<void> {
    if (change.left.some(isOwn)) return forget(change.jid)
    const group = await findGroup(store, instance, change.jid)
    if (group && concerns(group, change)) await keep(applied(group, change))
  }

  return {
    name: (jid) => names.get(jid) ?? '',
    knows: (jid) => names.has(jid),
    async ready(network, jid, deadline) {
      const group = await findGroup(store, instance, jid)
      return group ? { kind: 'done', value: group } : ask(network, jid, deadline)
    },
    ask,
    askAll,
    listed: () => areListed(store, instance),
    list: (after, most) => listGroups(store, instance, after, most),
    find: (jid) => findGroup(store, instance, jid),
    with: (ids) => groupsWith(store, instance, ids),
    mayForce: () => forced.take() === 0,
    keep: (group) => keep(group).catch(failed),
    apply: (change) => apply(change).catch(failed),
    isOwn,
    async mayRemove(jid, { sender, sender_pn, sender_lid, fromMe }) {
      if (fromMe) return true
      const spellings = [sender, sender_pn, sender_lid].filter(Boolean)
      const group = await findGroup(store, instance, jid)
      const member = group?.members.find(({ id, pn, lid }) =>
        [id, pn, lid].some((one) => spellings.includes(one)),
      )
      return member?.role !== 'member'
    },
    joined: (group, by) =>
      intake.enqueue(async (batch) => {
        await keep(group)
        batch.report(joinedEvent(group, by))
      }),
    changed: (change) =>
      intake.enqueue(async (batch) => {
        const whole = spelledOut(await findGroup(store, instance, change.jid), change)
        await apply(whole)
        batch.report(groupEvent(whole))
      }),
    addressed: (jid, addressing) =>
      intake.enqueue(async () => {
        const group = await findGroup(store, instance, jid)
        if (group && group.addressing !== addressing) await keep(readdressed(group, addressing))
      }),
    relisted: (all) => void keepAll(all).catch(failed),
    async forgetAll() {
      names.clear()
      await store.commitFor(instance, [forgetGroups(store, instance)])
    },
    opened(network) {
      const listing = areListed(store, instance).then(async (listed) => {
        if (!listed) await askAll(network, AbortSignal.timeout(BACKGROUND_MS))
      })
      listing.catch(failed)
    },
  }
}
