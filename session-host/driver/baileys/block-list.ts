// The account's block list: requests it, changes it, and reports its changes by all devices.

import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import type { AccountNetwork, NetworkOutcome, Person, SettingChange } from '../driver.ts'
import { findKnownIds } from './account-lookup.ts'
import { dropValue, findNode, readResponse, sendQuery } from './connection/network-query.ts'
import { toNetworkJid } from './ids.ts'

export type BlockList = Pick<AccountNetwork, 'getBlockList' | 'getCachedBlockList' | 'setBlocked'>

/**
 * `report` is called with every list that the network sends, also the one that the library requests at login, and with every change;
 * `failed` with the errors of those that could not be reported.
 */
export function createBlockList(
  sock: WASocket,
  report: (changes: SettingChange[]) => void,
  onError: (error: unknown) => void,
): BlockList {
  let known: Person[] | undefined
  let changes = 0
  const clearCache = () => {
    changes += 1
    known = undefined
  }

  // A queue, so that the look-up of spellings does not change the order of the reports.
  let reportQueue: Promise<unknown> = Promise.resolve()
  const enqueueReport = (jids: string[], made: (people: Person[]) => SettingChange[]) => {
    reportQueue = reportQueue
      .then(() => findPeople(jids))
      .then((people) => report(made(people)))
      // A store that failed has ended the connection, and the next one gets the whole list. Other errors end only this report.
      .catch(onError)
  }
  const findPeople = (jids: string[]) => Promise.all(jids.map((jid) => findKnownIds(sock, jid)))
  const reportChange = (jids: string[], blocked: boolean) =>
    enqueueReport(jids, (people) => people.map((person) => ({ kind: 'blocked', person, blocked })))

  sock.ev.on('blocklist.update', ({ blocklist, type }) => {
    clearCache()
    reportChange(blocklist, type === 'add')
  })
  sock.ev.on('blocklist.set', clearCache)
  sock.ws.on('CB:iq,,list', (node: BinaryNode) => {
    const jids = readWholeList(node)
    if (jids) enqueueReport(jids, (people) => [{ kind: 'block_list', people }])
  })

  async function getBlockList(deadline: AbortSignal): Promise<NetworkOutcome<Person[]>> {
    const outcome = await sendQuery(sock, { xmlns: 'blocklist', type: 'get', content: [] }, deadline)
    const jids = readResponse(outcome, (node) => {
      const list = findNode(node, 'list')
      return list && getBinaryNodeChildren(list, 'item').flatMap(({ attrs }) => attrs.jid ?? [])
    })
    if (jids.kind !== 'done') return jids
    // The reports before this answer come first, so that it does not contradict them.
    await reportQueue
    return { kind: 'done', value: await findPeople(jids.value) }
  }

  return {
    getBlockList,
    async getCachedBlockList(deadline) {
      if (known) return { kind: 'done', value: known }
      const before = changes
      const outcome = await getBlockList(deadline)
      // A change during the request may or may not be in the answer.
      if (outcome.kind === 'done' && before === changes) known = outcome.value
      return outcome
    },
    async setBlocked({ id, pn, lid }, on, deadline) {
      const attrs = {
        action: on ? 'block' : 'unblock',
        jid: toNetworkJid(lid || id),
        ...(on && lid && pn && { pn_jid: toNetworkJid(pn) }),
      }
      const content = [{ tag: 'item', attrs }]
      clearCache()
      const outcome = dropValue(await sendQuery(sock, { xmlns: 'blocklist', type: 'set', content }, deadline))
      clearCache()
      if (outcome.kind === 'done') reportChange([attrs.jid], on)
      return outcome
    },
  }
}

/**
 * The jids of an answer that has the whole list: it has a digest, unlike answers about keys, which have a list too. The answer to a
 * change may name that change alone, or say that the list matches.
 */
function readWholeList(node: BinaryNode): string[] | undefined {
  const list = findNode(node, 'list')
  const { dhash, matched } = list?.attrs ?? {}
  if (!list || node.attrs.type !== 'result' || dhash === undefined || matched === 'true') return undefined
  const items = getBinaryNodeChildren(list, 'item')
  return items.some(({ attrs }) => attrs.action) ? undefined : items.flatMap(({ attrs }) => attrs.jid ?? [])
}
