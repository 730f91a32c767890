// Finds a person's account and ids, from stored mappings or by asking the network once.

import { type BinaryNode, getBinaryNodeChildren, getBinaryNodeChildString, type WASocket } from 'baileys'
import type { Answer, NumberCheck, Person } from '../driver.ts'
import { ask, inside, type Question } from './connection/ask.ts'
import { inward, outward, person } from './ids.ts'

/** The refusal for a number that has no account, as the network says. */
const NO_ACCOUNT = { kind: 'refused', code: 404, message: 'the number has no account' } as const
const LEFT_OUT = {
  kind: 'prevented',
  by: 'lookup_incomplete',
  message: 'the answer does not mention the number',
} as const

export async function knownAs(sock: WASocket, jid: string): Promise<Person> {
  const id = outward(jid)
  if (id.endsWith('@g.us')) return { id: jid, pn: '', lid: '' }
  // The library's own look-up from phone number to LID would ask the network for a pair that is not stored.
  const [user = ''] = id.split('@')
  const key = id.endsWith('@lid') ? `${user}_reverse` : user
  const { [key]: other } = await sock.authState.keys.get('lid-mapping', [key])
  if (!other) return person(id)
  return person(id, id.endsWith('@lid') ? `${other}@s.whatsapp.net` : `${other}@lid`)
}

export async function findAccount(
  sock: WASocket,
  jid: string,
  deadline: AbortSignal,
): Promise<Answer<Person>> {
  const known = await knownAs(sock, jid)
  if (!known.pn || known.lid) return { kind: 'done', value: known }
  const answer = await checkNumbers(sock, [jid], deadline)
  if (answer.kind !== 'done') return answer
  const [found] = answer.value
  if (found?.exists) return { kind: 'done', value: found.person }
  return found?.exists === false ? NO_ACCOUNT : LEFT_OUT
}

/** Always asks the network, in one request for all of them. */
export async function checkNumbers(
  sock: WASocket,
  jids: string[],
  deadline: AbortSignal,
): Promise<Answer<NumberCheck[]>> {
  const asked = new Map(jids.map((jid) => [digitsOf(jid), jid]))
  const answer = await ask(sock, contactRequest(sock, [...asked.keys()]), deadline)
  if (answer.kind !== 'done') return answer
  const list = inside(answer.value, 'usync', 'list')

  const checks = new Map<string, NumberCheck>()
  for (const user of list ? getBinaryNodeChildren(list, 'user') : []) {
    const contact = inside(user, 'contact')
    const written = getBinaryNodeChildString(user, 'contact')?.replace(/^\+/, '')
    const jid = asked.get(written ?? '') ?? asked.get(digitsOf(inward(user.attrs.pn_jid ?? user.attrs.jid)))
    if (!jid) continue
    const verdict = contact?.attrs.type
    if (verdict === undefined) continue
    const exists = verdict === 'in'
    const found = exists
      ? person(user.attrs.pn_jid ?? user.attrs.jid ?? outward(jid), inside(user, 'lid')?.attrs.val)
      : person(jid)
    checks.set(jid, { jid, exists, person: found, verifiedName: nameOf(user) })
  }
  const pairs = [...checks.values()].flatMap(({ person: { pn, lid } }) =>
    pn && lid ? [{ pn: outward(pn), lid }] : [],
  )
  if (pairs.length > 0) await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs)
  const value = jids.map(
    (jid) => checks.get(jid) ?? { jid, exists: undefined, person: person(jid), verifiedName: '' },
  )
  return { kind: 'done', value }
}

const digitsOf = (jid: string) => jid.split('@', 1)[0] ?? ''

const nameOf = (user: BinaryNode) => inside(user, 'business', 'verified_name')?.attrs.name ?? ''

function contactRequest(sock: WASocket, phones: string[]): Question {
  const node = (tag: string, content?: BinaryNode['content'], attrs = {}): BinaryNode => ({
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
  const users = phones.map((phone) => node('user', [node('contact', `+${phone}`)]))
  const usync = node('usync', [node('query', [node('contact'), node('lid')]), node('list', users)], attrs)
  return { xmlns: 'usync', type: 'get', content: [usync] }
}
