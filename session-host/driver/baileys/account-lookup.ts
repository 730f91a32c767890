// Finds a person's ids in stored mappings, and asks the network which numbers have an account.

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
  const outcome = await sendQuery(sock, buildContactQuery(sock, [...jidsByDigits.keys()]), deadline)
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
    checks.set(jid, { jid, exists, person: found, verifiedName: readVerifiedName(user) })
  }
  const pairs = [...checks.values()].flatMap(({ person: { pn, lid } }) =>
    pn && lid ? [{ pn: toNetworkJid(pn), lid }] : [],
  )
  if (pairs.length > 0) await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs)
  const value = jids.map(
    (jid) => checks.get(jid) ?? { jid, exists: undefined, person: toPerson(jid), verifiedName: '' },
  )
  return { kind: 'done', value }
}

const getDigits = (jid: string) => jid.split('@', 1)[0] ?? ''

const readVerifiedName = (user: BinaryNode) => findNode(user, 'business', 'verified_name')?.attrs.name ?? ''

function buildContactQuery(sock: WASocket, phones: string[]): Query {
  const buildNode = (tag: string, content?: BinaryNode['content'], attrs = {}): BinaryNode => ({
    tag,
    attrs,
    ...(content && { content }),
  })
  const attrs = {
    context: 'interactive',
    mode: 'query',
    sid: sock.generateMessageTag(),
    last: 'true',
    index: '0',
  }
  const users = phones.map((phone) => buildNode('user', [buildNode('contact', `+${phone}`)]))
  const usync = buildNode(
    'usync',
    [buildNode('query', [buildNode('contact'), buildNode('lid')]), buildNode('list', users)],
    attrs,
  )
  return { xmlns: 'usync', type: 'get', content: [usync] }
}
