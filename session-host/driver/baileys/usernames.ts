// Usernames: who has one, and where the network names those of people.

import type { KeyedUsername } from '@msgnet/shared/jid.ts'
import { truncateName } from '@msgnet/shared/truncation.ts'
import type { BinaryNode, WASocket } from 'baileys'
import type { NetworkOutcome, UsernameCheck } from '../driver.ts'
import { buildNode, buildUserQuery, findKnownIds, readVerifiedName, storePairs } from './account-lookup.ts'
import { findNode, sendQuery } from './connection/network-query.ts'
import { toGatewayJid, toPerson } from './ids.ts'

/**
 * In a chat of two the library reads the other person's username only of the account's own messages. Called before the library handles
 * the stanza, of which it changes the attribute that the library reads.
 */
export function renameSenderAttribute({ tag, attrs }: BinaryNode): void {
  const { username, participant, recipient, recipient_username } = attrs
  if (tag === 'message' && username && !participant && !recipient && !recipient_username)
    attrs.recipient_username = username
}

/** One after the other: the network's own client asks for one in a request. */
export async function checkUsernames(
  sock: WASocket,
  usernames: KeyedUsername[],
  deadline: AbortSignal,
): Promise<NetworkOutcome<UsernameCheck[]>> {
  const checks: UsernameCheck[] = []
  for (const username of usernames) {
    const outcome = await checkUsername(sock, username, deadline)
    if (outcome.kind !== 'done') return outcome
    checks.push(outcome.value)
  }
  return { kind: 'done', value: checks }
}

async function checkUsername(
  sock: WASocket,
  { username, key }: KeyedUsername,
  deadline: AbortSignal,
): Promise<NetworkOutcome<UsernameCheck>> {
  const protocols = [buildNode('contact', undefined, { addressing_mode: 'lid' }), buildNode('business')]
  const query = buildUserQuery(sock, protocols, [
    buildNode('user', [
      buildNode('contact', undefined, { username, ...(key !== undefined && { pin: key }) }),
    ]),
  ])
  const outcome = await sendQuery(sock, query, deadline)
  if (outcome.kind !== 'done') return outcome
  const user = findNode(outcome.value, 'usync', 'list', 'user')
  const contact = user && findNode(user, 'contact')
  const type = contact?.attrs.type
  const unknown = { person: toPerson(), exists: undefined, needsKey: false, verifiedName: '' }
  if (!user || !contact || type === undefined) return { kind: 'done', value: unknown }
  const verifiedName = readVerifiedName(user)
  const { jid } = user.attrs
  if (type !== 'in' || !jid) {
    const exists = type === 'in'
    return { kind: 'done', value: { ...unknown, exists, needsKey: exists, verifiedName } }
  }
  const found = toPerson(jid, user.attrs.pn_jid, findNode(user, 'business')?.attrs.pn_jid)
  await storePairs(sock, [found])
  const { pn, lid } = await findKnownIds(sock, toGatewayJid(jid))
  const person = { ...found, pn: found.pn || pn, lid: found.lid || lid }
  const named = { ...person, username: truncateName(contact.attrs.username || username) }
  return { kind: 'done', value: { person: named, exists: true, needsKey: false, verifiedName } }
}
