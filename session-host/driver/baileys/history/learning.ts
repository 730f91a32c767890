// Stores what a chunk of history says of people: pairs of phone number and LID, privacy tokens; answers their names.

import { isLidUser, isPnUser, jidNormalizedUser, type WASocket } from 'baileys'
import { buildMergedTcTokenIndexWrite } from 'baileys/lib/Utils/tc-token-utils.js'
import { boundedName } from '../../../../shared/bounds.ts'
import type { KnownName } from '../../driver.ts'
import { person } from '../ids.ts'
import type { ChatRecord, HistoryRecord } from './chunk-reader.ts'

/** One commit each: every other session of the process waits meanwhile. */
const AT_ONCE = 200

type Keys = WASocket['authState']['keys']

export interface Learned {
  pairs: number
  tokens: number
  names: KnownName[]
}

export async function learnFrom(sock: WASocket, records: HistoryRecord[]): Promise<Learned> {
  const { keys } = sock.authState
  const pairs = pairsIn(records)
  for (const some of inParts([...pairs])) {
    const mappings = some.map(([pn, lid]) => ({ pn, lid }))
    await sock.signalRepository.lidMapping.storeLIDPNMappings(mappings)
  }
  const lidOf = (id: string) => (isLidUser(id) ? id : pairs.get(id))
  const tokens = records
    .filter((one) => one.kind === 'chat')
    .filter((one) => isPerson(one.id) && hasToken(one))
  let stored = 0
  for (const some of inParts(tokens)) stored += await storeTokens(keys, some, lidOf)
  return { pairs: pairs.size, tokens: stored, names: namesIn(records, pairs) }
}

const hasToken = ({ token, tokenAt }: ChatRecord) => token.length > 0 && tokenAt > 0
const isPerson = (id: string) => Boolean(isPnUser(id) || isLidUser(id))

/** LIDs by phone number. */
function pairsIn(records: HistoryRecord[]): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const record of records) {
    if (record.kind === 'push_name') continue
    const ids = record.kind === 'chat' ? [record.id, record.pn, record.lid] : [record.pn, record.lid]
    const pn = ids.find((id) => isPnUser(id))
    const lid = ids.find((id) => isLidUser(id))
    if (pn && lid) pairs.set(jidNormalizedUser(pn), jidNormalizedUser(lid))
  }
  return pairs
}

/** By LID where it is known, as the library looks them up; an older token does not replace a newer one. */
async function storeTokens(
  keys: Keys,
  chats: ChatRecord[],
  lidOf: (id: string) => string | undefined,
): Promise<number> {
  const pns = chats.flatMap(({ id }) => (lidOf(id) ? [] : [userOf(id)]))
  const known = pns.length > 0 ? await keys.get('lid-mapping', pns) : {}
  const spelled = chats.map((chat) => {
    const id = jidNormalizedUser(chat.id)
    const lid = known[userOf(id)]
    return { chat, jid: lidOf(id) ?? (lid ? `${lid}@lid` : id) }
  })
  const stored = await keys.get(
    'tctoken',
    spelled.map(({ jid }) => jid),
  )
  const newer = spelled.filter(({ chat, jid }) => Number(stored[jid]?.timestamp ?? 0) < chat.tokenAt)
  if (newer.length === 0) return 0
  const entries = newer.map(({ chat: { token, tokenAt, tokenSentAt }, jid }) => {
    const sent = tokenSentAt > 0 ? { senderTimestamp: tokenSentAt } : {}
    return [jid, { ...sent, ...stored[jid], token, timestamp: `${tokenAt}` }] as const
  })
  const index = await buildMergedTcTokenIndexWrite(
    keys,
    newer.map(({ jid }) => jid),
  )
  await keys.set({ tctoken: { ...Object.fromEntries(entries), ...index } })
  return newer.length
}

/** Of people only: groups have their own. A push name counts more than the name of a chat. */
function namesIn(records: HistoryRecord[], pairs: Map<string, string>): KnownName[] {
  const names = new Map<string, KnownName>()
  const pnOf = new Map([...pairs].map(([pn, lid]) => [lid, pn]))
  const sorted = [
    ...records.filter((record) => record.kind === 'chat'),
    ...records.filter((record) => record.kind === 'push_name'),
  ]
  for (const { id, name } of sorted) {
    if (!isPerson(id) || name === '') continue
    const user = jidNormalizedUser(id)
    const known = person(user, pnOf.get(user), pairs.get(user))
    names.set(known.pn || known.id, { person: known, name: boundedName(name) })
  }
  return [...names.values()]
}

const userOf = (jid: string) => jid.split(/[:@]/, 1)[0] ?? ''

function* inParts<Item>(items: Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += AT_ONCE) yield items.slice(at, at + AT_ONCE)
}
