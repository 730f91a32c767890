// Stores the pairs of phone number and LID and the privacy tokens of a chunk of history; returns the names in it.

import { truncateName } from '@msgnet/shared/truncation.ts'
import { isLidUser, isPnUser, jidNormalizedUser, type WASocket } from 'baileys'
import { buildMergedTcTokenIndexWrite } from 'baileys/lib/Utils/tc-token-utils.js'
import type { KnownName, SettingChange } from '../../driver.ts'
import { toPerson } from '../ids.ts'
import { toMilliseconds } from '../network-times.ts'
import type { ChatRecord, HistoryRecord } from './chunk-records.ts'

/** One commit each: every other session of the process waits for it. */
const BATCH_SIZE = 200

type Keys = WASocket['authState']['keys']

export async function storeHistoryRecords(sock: WASocket, records: HistoryRecord[]) {
  const { keys } = sock.authState
  const pairs = collectPairs(records)
  for (const some of splitIntoBatches([...pairs])) {
    const mappings = some.map(([pn, lid]) => ({ pn, lid }))
    await sock.signalRepository.lidMapping.storeLIDPNMappings(mappings)
  }
  const findLid = (id: string) => (isLidUser(id) ? id : pairs.get(id))
  const tokens = records
    .filter((one) => one.kind === 'chat')
    .filter((one) => isPerson(one.id) && hasToken(one))
  let stored = 0
  for (const some of splitIntoBatches(tokens)) stored += await storeTokens(keys, some, findLid)
  const [names, timers] = [collectNames(records, pairs), collectTimers(records, pairs)]
  return { pairs: pairs.size, tokens: stored, names, timers }
}

const hasToken = ({ token, tokenAt }: ChatRecord) => token.length > 0 && tokenAt > 0
const isPerson = (id: string) => Boolean(isPnUser(id) || isLidUser(id))

/** LIDs by phone number. */
function collectPairs(records: HistoryRecord[]): Map<string, string> {
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
  findLid: (id: string) => string | undefined,
): Promise<number> {
  const pns = chats.flatMap(({ id }) => (findLid(id) ? [] : [getUser(id)]))
  const known = pns.length > 0 ? await keys.get('lid-mapping', pns) : {}
  const addressed = chats.map((chat) => {
    const id = jidNormalizedUser(chat.id)
    const lid = known[getUser(id)]
    return { chat, jid: findLid(id) ?? (lid ? `${lid}@lid` : id) }
  })
  const stored = await keys.get(
    'tctoken',
    addressed.map(({ jid }) => jid),
  )
  const newer = addressed.filter(({ chat, jid }) => Number(stored[jid]?.timestamp ?? 0) < chat.tokenAt)
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

/** Of people only: groups have their own. A push name counts more than the name of a chat, and a chat may have a username only. */
function collectNames(records: HistoryRecord[], pairs: Map<string, string>): KnownName[] {
  const names = new Map<string, KnownName>()
  const pnByLid = new Map([...pairs].map(([pn, lid]) => [lid, pn]))
  const sorted = [
    ...records.filter((record) => record.kind === 'chat'),
    ...records.filter((record) => record.kind === 'push_name'),
  ]
  for (const record of sorted) {
    const user = jidNormalizedUser(record.id)
    const ids = toPerson(user, pnByLid.get(user), pairs.get(user))
    const earlier = names.get(ids.pn || ids.id)
    const name = truncateName(record.name) || earlier?.name || ''
    const username = (record.kind === 'chat' && truncateName(record.username)) || earlier?.person.username
    if (!isPerson(record.id) || (name === '' && !username)) continue
    names.set(ids.pn || ids.id, { person: { ...ids, ...(username && { username }) }, name })
  }
  return [...names.values()]
}

/** Of people only: groups have their own. */
function collectTimers(records: HistoryRecord[], pairs: Map<string, string>): SettingChange[] {
  const pnByLid = new Map([...pairs].map(([pn, lid]) => [lid, pn]))
  return records
    .filter((one) => one.kind === 'chat')
    .filter(({ id, timerSetAt }) => isPerson(id) && timerSetAt > 0)
    .map(({ id, timer: seconds, timerSetAt }) => {
      const user = jidNormalizedUser(id)
      const chat = toPerson(user, pnByLid.get(user), pairs.get(user))
      return { kind: 'timer', chat, timer: { seconds, setAt: toMilliseconds(timerSetAt) } }
    })
}

const getUser = (jid: string) => jid.split(/[:@]/, 1)[0] ?? ''

function* splitIntoBatches<Item>(items: Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += BATCH_SIZE) yield items.slice(at, at + BATCH_SIZE)
}
