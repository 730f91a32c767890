// The account's block list: requests it, changes it, and reports its changes by all devices.

import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import type { AccountNetwork, Answer, Person, SettingChange } from '../driver.ts'
import { ask, bare, inside, read } from './connection/ask.ts'
import { outward } from './ids.ts'
import { knownAs } from './people.ts'

export type Blocking = Pick<AccountNetwork, 'blocked' | 'knownBlocked' | 'block'>

/**
 * `report` is called with every list that the network sends, also the one that the library requests at login, and with every change;
 * `failed` with the errors of those that could not be reported.
 */
export function makeBlocking(
  sock: WASocket,
  report: (changes: SettingChange[]) => void,
  failed: (thrown: unknown) => void,
): Blocking {
  let known: Person[] | undefined
  let changes = 0
  const forget = () => {
    changes += 1
    known = undefined
  }

  // A queue, so that the look-up of spellings does not change the order of the reports.
  let reported: Promise<unknown> = Promise.resolve()
  const next = (jids: string[], made: (people: Person[]) => SettingChange[]) => {
    reported = reported
      .then(() => spelledOut(jids))
      .then((people) => report(made(people)))
      // A store that failed has ended the connection, and the next one gets the whole list. Other errors end only this report.
      .catch(failed)
  }
  const spelledOut = (jids: string[]) => Promise.all(jids.map((jid) => knownAs(sock, jid)))
  const changed = (jids: string[], blocked: boolean) =>
    next(jids, (people) => people.map((person) => ({ kind: 'blocked', person, blocked })))

  sock.ev.on('blocklist.update', ({ blocklist, type }) => {
    forget()
    changed(blocklist, type === 'add')
  })
  sock.ev.on('blocklist.set', forget)
  sock.ws.on('CB:iq,,list', (node: BinaryNode) => {
    const jids = wholeList(node)
    if (jids) next(jids, (people) => [{ kind: 'block_list', people }])
  })

  async function blocked(deadline: AbortSignal): Promise<Answer<Person[]>> {
    const answer = await ask(sock, { xmlns: 'blocklist', type: 'get', content: [] }, deadline)
    const jids = read(answer, (node) => {
      const list = inside(node, 'list')
      return list && getBinaryNodeChildren(list, 'item').flatMap(({ attrs }) => attrs.jid ?? [])
    })
    if (jids.kind !== 'done') return jids
    // The reports before this answer come first, so that it does not contradict them.
    await reported
    return { kind: 'done', value: await spelledOut(jids.value) }
  }

  return {
    blocked,
    async knownBlocked(deadline) {
      if (known) return { kind: 'done', value: known }
      const before = changes
      const answer = await blocked(deadline)
      // A change during the request may or may not be in the answer.
      if (answer.kind === 'done' && before === changes) known = answer.value
      return answer
    },
    async block({ id, pn, lid }, on, deadline) {
      const attrs = {
        action: on ? 'block' : 'unblock',
        jid: outward(lid || id),
        ...(on && lid && pn && { pn_jid: outward(pn) }),
      }
      const content = [{ tag: 'item', attrs }]
      forget()
      const answer = bare(await ask(sock, { xmlns: 'blocklist', type: 'set', content }, deadline))
      forget()
      if (answer.kind === 'done') changed([attrs.jid], on)
      return answer
    },
  }
}

/**
 * The jids of an answer that has the whole list: it has a digest, unlike answers about keys, which have a list too. The answer to a
 * change may name that change alone, or say that the list matches.
 */
function wholeList(node: BinaryNode): string[] | undefined {
  const list = inside(node, 'list')
  const { dhash, matched } = list?.attrs ?? {}
  if (!list || node.attrs.type !== 'result' || dhash === undefined || matched === 'true') return undefined
  const items = getBinaryNodeChildren(list, 'item')
  return items.some(({ attrs }) => attrs.action) ? undefined : items.flatMap(({ attrs }) => attrs.jid ?? [])
}
