// Checks which numbers and usernames have an account, and tells the ids of their owners.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { NumberCheck, NumberChecks } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { extractPhone, isGroup, type KeyedUsername, parseNumber, parseUsername } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, Person, Prevention, UsernameCheck } from '../driver/driver.ts'
import { findUsernames, listJidForms } from '../store/username-store.ts'
import { type ActionContext, toFailedOutcome } from './action.ts'

export async function checkNumbers(
  { session, network, deadline }: ActionContext,
  { numbers }: ActionInput<'chat.check'>,
): Promise<Outcome<NumberChecks>> {
  if (!network) return createRefusal('not_connected')
  const jids = numbers.map(parseNumber)
  const people = [
    ...new Set(jids.filter((jid) => jid !== undefined).filter((jid) => extractPhone(jid) !== '')),
  ]
  const answer = people.length > 0 ? await network.checkNumbers(people, deadline) : noChecks
  if (answer.kind !== 'done') return toFailedOutcome(answer)
  const usernames = findUsernameQueries(numbers)
  const asked = [...usernames].slice(0, limits.maxCheckedUsernames)
  const named = await network.checkUsernames(
    asked.map(([, username]) => username),
    deadline,
  )
  if (named.kind !== 'done') return toFailedOutcome(named)
  session.settings.handleUsernames([...answer.value, ...named.value].map(({ person }) => person))

  const found = new Map(answer.value.map((check) => [check.jid, check]))
  const namedChecks = new Map(named.value.map((check, place) => [asked[place]?.[0], check]))
  const checks = numbers.map(async (query, index): Promise<NumberCheck> => {
    const username = usernames.get(query)
    if (username) return describeUsername(query, username, namedChecks.get(query))
    const jid = jids[index]
    if (jid === undefined) return { ...unchecked, query, error: 'invalid_number' }
    if (isGroup(jid)) {
      const groupName = session.groups.getName(jid)
      return { ...unchecked, query, jid, groupName, isInMsgnet: session.groups.isKnown(jid) }
    }
    const check = found.get(jid)
    if (check === undefined) return describeLid(session, network, query, jid)
    const { person, exists, verifiedName } = check
    const error = exists === undefined ? LEFT_OUT : ''
    const isInMsgnet = exists === true
    return {
      ...unchecked,
      query,
      ...describePerson(person, person.username),
      isInMsgnet,
      verifiedName,
      error,
    }
  })
  return createDoneOutcome(await Promise.all(checks))
}

/** By the entry of the request. */
function findUsernameQueries(numbers: string[]): Map<string, KeyedUsername> {
  const parsed = numbers.map((query) => [query, parseUsername(query)] as const)
  return new Map(parsed.filter((pair): pair is [string, KeyedUsername] => pair[1] !== undefined))
}

const describePerson = ({ pn, lid }: Person, username = '') => ({
  jid: pn,
  lid,
  ...(username && { username }),
})

/** `check` is undefined for a name that was one too many. */
function describeUsername(
  query: string,
  { key }: KeyedUsername,
  check: UsernameCheck | undefined,
): NumberCheck {
  if (!check) return { ...unchecked, query, error: 'too_many_usernames' }
  const { person, exists, needsKey, verifiedName } = check
  const keyError = key === undefined ? 'username_key_required' : 'username_key_wrong'
  const error = needsKey ? keyError : exists === undefined ? LEFT_OUT : ''
  return {
    ...unchecked,
    query,
    ...describePerson(person, person.username),
    isInMsgnet: exists === true,
    verifiedName,
    error,
  }
}

/** The network cannot be asked about an `@lid`: only a mapping that it sent before is known. */
async function describeLid(
  { store, instance }: ActionContext['session'],
  network: Connection,
  query: string,
  jid: string,
): Promise<NumberCheck> {
  const person: Person = await network.findKnownIds(jid)
  const [username] = (await findUsernames(store, instance, listJidForms(person))).values()
  return { ...unchecked, query, ...describePerson(person, username), isInMsgnet: person.pn !== '' }
}

const noChecks = { kind: 'done', value: [] } as const

/** The network's answer does not mention the number or the name. */
const LEFT_OUT: Prevention = 'lookup_incomplete'

const unchecked = { jid: '', lid: '', isInMsgnet: false, verifiedName: '', groupName: '', error: '' }
