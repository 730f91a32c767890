// Who has an account, and under which ids: from what the network has told, else by asking it once.

import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import type { Answer, Person } from '../driver.ts'
import { ask, inside, type Question } from './ask.ts'
import { inward, outward, person } from './ids.ts'

/** What the contact query answers for a number that nobody has, in the words of a refusal. */
const NO_ACCOUNT = { kind: 'refused', code: 404, message: 'the number has no account' } as const

export async function knownAs(sock: WASocket, jid: string): Promise<Person> {
  const id = outward(jid)
  if (id.endsWith('@g.us')) return { id: jid, pn: '', lid: '' }
  // The library's own look-up from phone number to LID would ask the network for what is not stored.
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

  const [digits] = known.pn.split('@')
  const answer = await ask(sock, contactQuestion(sock, `+${digits}`), deadline)
  if (answer.kind !== 'done') return answer
  const list = inside(answer.value, 'usync', 'list')
  const user = getBinaryNodeChildren(list, 'user')[0]
  if (inside(user ?? answer.value, 'contact')?.attrs.type !== 'in') return NO_ACCOUNT

  const lid = user && inside(user, 'lid')?.attrs.val
  const found = person(user?.attrs.jid ?? outward(jid), lid)
  if (found.pn && found.lid) {
    const pair = { pn: outward(found.pn), lid: inward(found.lid) }
    await sock.signalRepository.lidMapping.storeLIDPNMappings([pair])
  }
  return { kind: 'done', value: found }
}

function contactQuestion(sock: WASocket, phone: string): Question {
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
  const usync = node(
    'usync',
    [node('query', [node('contact'), node('lid')]), node('list', [node('user', [node('contact', phone)])])],
    attrs,
  )
  return { xmlns: 'usync', type: 'get', content: [usync] }
}
