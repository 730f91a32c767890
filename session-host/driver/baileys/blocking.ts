// Whom the account blocks: asked for, changed, and heard of, by whichever device it was changed.

import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import type { AccountNetwork, Answer, Person, SettingChange } from '../driver.ts'
import { ask, bare, inside, read } from './connection/ask.ts'
import { outward } from './ids.ts'
import { knownAs } from './people.ts'

export type Blocking = Pick<AccountNetwork, 'blocked' | 'knownBlocked' | 'block'>

/**
 * `report` hears of every list that the network tells, the one too that the library asks for at login, and of every change; `failed` of
 * what becomes of none of them.
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

  // In the order in which they came, though the spellings of each have to be looked up.
  let reported: Promise<unknown> = Promise.resolve()
  const next = (jids: string[], made: (people: Person[]) => SettingChange[]) => {
    reported = reported
      .then(() => spelledOut(jids))
      .then((people) => report(made(people)))
      // A store that fails has ended the connection by then, and the next one is told the whole list. The rest goes on.
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
    // Whoever is answered finds the same in what is told after.
    await reported
    return { kind: 'done', value: await spelledOut(jids.value) }
  }

  return {
    blocked,
    async knownBlocked(deadline) {
      if (known) return { kind: 'done', value: known }
      const before = changes
      const answer = await blocked(deadline)
      // What has changed meanwhile may or may not be in it.
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
 * Of an answer that names all, with the digest of that: answers about keys have a list too. One to a change may name what has changed
 * alone, or say that nothing else has.
 */
function wholeList(node: BinaryNode): string[] | undefined {
  const list = inside(node, 'list')
  const { dhash, matched } = list?.attrs ?? {}
  if (!list || node.attrs.type !== 'result' || dhash === undefined || matched === 'true') return undefined
  const items = getBinaryNodeChildren(list, 'item')
  return items.some(({ attrs }) => attrs.action) ? undefined : items.flatMap(({ attrs }) => attrs.jid ?? [])
}
