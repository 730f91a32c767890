// Finds a person's ids in stored mappings, and asks the network which numbers have an account, and which username its owner has.

import { truncateName } from '@msgnet/shared/truncation.ts'
import { type BinaryNode, getBinaryNodeChildren, getBinaryNodeChildString, type WASocket } from 'baileys'
import type { NetworkOutcome, NumberCheck, Person } from '../driver.ts'
import { findNode, type Query, sendQuery } from './connection/network-query.ts'
import { toGatewayJid, toNetworkJid, toPerson } from './ids.ts'

/** The refusal for a number that, by the network, has no account. */
export const NO_ACCOUNT = { kind: 'refused', code: 404, message: 'the number has no account' } as const
export const NOT_MENTIONED = {
  kind: 'prevented',
  by: 'lookup_incomplete',
  message: 'the response does not mention the number',
} as const

export async function findKnownIds(sock: WASocket, jid: string): Promise<Person> {
  const id = toNetworkJid(jid)
  if (id.endsWith('@g.us')) return { id: jid, pn: '', lid: '' }
  // The library's own look-up from phone number to LID would ask the network for a pair that is not stored.
  const [user = ''] = id.split('@')
  const key = id.endsWith('@lid') ? `${user}_reverse` : user
  const { [key]: other } = await sock.authState.keys.get('lid-mapping', [key])
  if (!other) return toPerson(id)
  return toPerson(id, id.endsWith('@lid') ? `${other}@s.whatsapp.net` : `${other}@lid`)
}

/** Always asks the network, in one request for all of them. */
export async function checkNumbers(
  sock: WASocket,
  jids: string[],
  deadline: AbortSignal,
): Promise<NetworkOutcome<NumberCheck[]>> {
  const jidsByDigits = new Map(jids.map((jid) => [getDigits(jid), jid]))
  const users = [...jidsByDigits.keys()].map((phone) =>
    buildNode('user', [buildNode('contact', `+${phone}`)]),
  )
  const protocols = [buildNode('contact'), buildNode('lid'), buildNode('username')]
  const outcome = await sendQuery(sock, buildUserQuery(sock, protocols, users), deadline)
  if (outcome.kind !== 'done') return outcome
  const list = findNode(outcome.value, 'usync', 'list')

  const checks = new Map<string, NumberCheck>()
  for (const user of list ? getBinaryNodeChildren(list, 'user') : []) {
    const contact = findNode(user, 'contact')
    const requestedNumber = getBinaryNodeChildString(user, 'contact')?.replace(/^\+/, '')
    const jid =
      jidsByDigits.get(requestedNumber ?? '') ??
      jidsByDigits.get(getDigits(toGatewayJid(user.attrs.pn_jid ?? user.attrs.jid)))
    if (!jid) continue
    const accountType = contact?.attrs.type
    if (accountType === undefined) continue
    const exists = accountType === 'in'
    const found = exists
      ? toPerson(user.attrs.pn_jid ?? user.attrs.jid ?? toNetworkJid(jid), findNode(user, 'lid')?.attrs.val)
      : toPerson(jid)
    const username = readUsername(findNode(user, 'username'))
    const person = { ...found, ...(username !== undefined && { username }) }
    checks.set(jid, { jid, exists, person, verifiedName: readVerifiedName(user) })
  }
  await storePairs(
    sock,
    [...checks.values()].map(({ person }) => person),
  )
  const value = jids.map(
    (jid) => checks.get(jid) ?? { jid, exists: undefined, person: toPerson(jid), verifiedName: '' },
  )
  return { kind: 'done', value }
}

const getDigits = (jid: string) => jid.split('@', 1)[0] ?? ''

export async function storePairs(sock: WASocket, people: Person[]): Promise<void> {
  const pairs = people.flatMap(({ pn, lid }) => (pn && lid ? [{ pn: toNetworkJid(pn), lid }] : []))
  if (pairs.length > 0) await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs)
}

export const readVerifiedName = (user: BinaryNode): string =>
  findNode(user, 'business', 'verified_name')?.attrs.name ?? ''

/** Empty if the person gave it up, undefined if the response does not say. */
function readUsername(node: BinaryNode | undefined): string | undefined {
  if (!node || Array.isArray(node.content) || node.attrs.code !== undefined) return undefined
  return truncateName(Buffer.from(node.content ?? '').toString())
}

export const buildNode = (tag: string, content?: BinaryNode['content'], attrs = {}): BinaryNode => ({
  tag,
  attrs,
  ...(content && { content }),
})

/** What the network is asked about each user, who is named by a `contact` or by `jid`. */
export function buildUserQuery(sock: WASocket, protocols: BinaryNode[], users: BinaryNode[]): Query {
  const attrs = {
    context: 'interactive',
    mode: 'query',
    sid: sock.generateMessageTag(),
    last: 'true',
    index: '0',
  }
  const usync = buildNode('usync', [buildNode('query', protocols), buildNode('list', users)], attrs)
  return { xmlns: 'usync', type: 'get', content: [usync] }
}
