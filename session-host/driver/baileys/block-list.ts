// The account's block list: requests it, changes it, and reports its changes by all devices.

import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import type { NetworkOutcome, Person, SettingChange } from '../driver.ts'
import { findKnownIds } from './account-lookup.ts'
import { dropValue, findNode, readResponse, sendQuery } from './connection/network-query.ts'
import { toNetworkJid } from './ids.ts'

type ReportSettings = (changes: SettingChange[]) => void

export class BlockList {
  readonly #sock: WASocket
  readonly #report: ReportSettings
  readonly #onError: (error: unknown) => void
  #cached: Person[] | undefined
  #changes = 0
  /** A queue, so that the look-up of ids does not change the order of the reports. */
  #reports: Promise<unknown> = Promise.resolve()

  /**
   * `report` is called with every list that the network sends, also the one that the library requests at login, and with every
   * change; `onError` with the errors of those that could not be reported.
   */
  constructor(sock: WASocket, report: ReportSettings, onError: (error: unknown) => void) {
    this.#sock = sock
    this.#report = report
    this.#onError = onError
    sock.ev.on('blocklist.update', ({ blocklist, type }) => {
      this.#clearCache()
      this.#reportChange(blocklist, type === 'add')
    })
    sock.ev.on('blocklist.set', () => this.#clearCache())
    sock.ws.on('CB:iq,,list', (node: BinaryNode) => {
      const jids = readWholeList(node)
      if (jids) this.#enqueueReport(jids, (people) => [{ kind: 'block_list', people }])
    })
  }

  async getBlockList(deadline: AbortSignal): Promise<NetworkOutcome<Person[]>> {
    const outcome = await sendQuery(this.#sock, { xmlns: 'blocklist', type: 'get', content: [] }, deadline)
    const jids = readResponse(outcome, (response) => {
      const list = findNode(response, 'list')
      return list && getBinaryNodeChildren(list, 'item').flatMap(({ attrs }) => attrs.jid ?? [])
    })
    if (jids.kind !== 'done') return jids
    // Reports from before this response are sent first, so that it does not contradict them.
    await this.#reports
    return { kind: 'done', value: await this.#findPeople(jids.value) }
  }

  async getCachedBlockList(deadline: AbortSignal): Promise<NetworkOutcome<Person[]>> {
    if (this.#cached) return { kind: 'done', value: this.#cached }
    const before = this.#changes
    const outcome = await this.getBlockList(deadline)
    // A change during the request may or may not be in the response.
    if (outcome.kind === 'done' && before === this.#changes) this.#cached = outcome.value
    return outcome
  }

  async setBlocked({ id, pn, lid }: Person, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome> {
    const attrs = {
      action: on ? 'block' : 'unblock',
      jid: toNetworkJid(lid || id),
      ...(on && lid && pn && { pn_jid: toNetworkJid(pn) }),
    }
    const content = [{ tag: 'item', attrs }]
    this.#clearCache()
    const query = { xmlns: 'blocklist', type: 'set', content } as const
    const outcome = dropValue(await sendQuery(this.#sock, query, deadline))
    this.#clearCache()
    if (outcome.kind === 'done') this.#reportChange([attrs.jid], on)
    await this.#reports
    return outcome
  }

  #clearCache(): void {
    this.#changes += 1
    this.#cached = undefined
  }

  #reportChange(jids: string[], blocked: boolean): void {
    this.#enqueueReport(jids, (people) => people.map((person) => ({ kind: 'blocked', person, blocked })))
  }

  #enqueueReport(jids: string[], toChanges: (people: Person[]) => SettingChange[]): void {
    this.#reports = this.#reports
      .then(() => this.#findPeople(jids))
      .then((people) => this.#report(toChanges(people)))
      // A store that failed has ended the connection, and the next one gets the whole list. Other errors end only this report.
      .catch(this.#onError)
  }

  #findPeople(jids: string[]): Promise<Person[]> {
    return Promise.all(jids.map((jid) => findKnownIds(this.#sock, jid)))
  }
}

/**
 * The jids of a response that has the whole list: it has a digest, unlike responses about keys, which have a list too. The response to a
 * change may name that change alone, or say that the list matches.
 */
function readWholeList(node: BinaryNode): string[] | undefined {
  const list = findNode(node, 'list')
  const { dhash, matched } = list?.attrs ?? {}
  if (!list || node.attrs.type !== 'result' || dhash === undefined || matched === 'true') return undefined
  const items = getBinaryNodeChildren(list, 'item')
  return items.some(({ attrs }) => attrs.action) ? undefined : items.flatMap(({ attrs }) => attrs.jid ?? [])
}
