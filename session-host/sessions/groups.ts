// The groups of a session: known from the store, kept fresh by events, asked for once at a time where that is not enough.

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
import { applied, concerns, spelledOut } from './group-changes.ts'
import { groupEvent, joinedEvent } from './group-reporting.ts'
import type { Intake } from './intake.ts'
import type { KeptState } from './kept-state.ts'

const BACKGROUND_MS = 30 * SECOND
/** For so long a question is the same as the one before it. The network may answer the next though this one is lost. */
const TOGETHER_MS = SECOND / 2
/** What callers may force: ten at once, and one more every six seconds. */
const FORCED = { burst: 10, everyMs: 6 * SECOND }

export type Known = Answer<NetworkGroup>

export interface Groups extends KnownGroups {
  knows(jid: string): boolean
  /** The group, asked for where it is not stored. */
  ready(network: Connection, jid: string, deadline: AbortSignal): Promise<Known>
  /** Asks the network, once for all who want to know at the same time. */
  ask(network: Connection, jid: string, deadline: AbortSignal): Promise<Known>
  askAll(network: Connection, deadline: AbortSignal): Promise<Answer<unknown>>
  /** The network has listed them all at some time; what came later was told by events. */
  listed(): Promise<boolean>
  list(after: string, most: number): Promise<NetworkGroup[]>
  find(jid: string): Promise<NetworkGroup | undefined>
  /** Those that somebody is in, by any of his ids. */
  with(ids: string[]): Promise<Pick<NetworkGroup, 'jid' | 'subject'>[]>
  /** Whether a caller may force another question now. */
  mayForce(): boolean
  keep(group: NetworkGroup): Promise<void>
  /** What we have done ourselves, before the network tells it to everybody: it is done whatever our disk says. */
  apply(change: GroupChange): Promise<void>
  isOwn(person: { pn: string; lid: string }): boolean
  /** Told by the network. */
  joined(group: NetworkGroup, by: Person): void
  changed(change: GroupChange): void
  relisted(groups: NetworkGroup[]): void
  /** The account is linked no longer: its groups are not those of the next one. */
  forgetAll(): Promise<void>
  /** Logged in: what was never listed is. */
  opened(network: Connection): void
}

export function makeGroups({ store, log }: SessionDeps, state: KeptState, intake: Intake): Groups {
  const { instance } = state.row
  const names = new Map<string, string>()
  const asking = new Map<string, { since: number; answer: Promise<Answer<unknown>> }>()
  /** Told while the list of all was on its way: whether that has them is left open. */
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

  /** What somebody has only just asked is waited for, not asked again. */
  function once<Value>(key: string, question: () => Promise<Answer<Value>>): Promise<Answer<Value>> {
    const running = asking.get(key)
    const now = performance.now()
    if (running && now - running.since < TOGETHER_MS) return running.answer as Promise<Answer<Value>>
    const answer: Promise<Answer<Value>> = question().finally(() => {
      if (asking.get(key)?.answer === answer) asking.delete(key)
    })
    asking.set(key, { since: now, answer })
    return answer
  }

  const ask = (network: Connection, jid: string, deadline: AbortSignal) =>
    once(jid, async () => {
      const answer = await network.groups.one(jid, deadline)
      if (answer.kind === 'done') await keep(answer.value)
      // Not there, or not for us any more.
      else if (answer.kind === 'refused' && [403, 404].includes(answer.code)) await forget(jid)
      return answer
    })

  /** One that was overtaken by a later one has nothing to say. */
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
