// The account itself: its block list, its privacy settings, its picture, its presence.

import type { Readable } from 'node:stream'
import { type BinaryNode, getBinaryNodeChildren, jidNormalizedUser, type WASocket } from 'baileys'
import { privacyCategories } from '../account-network.ts'
import type { AccountNetwork, NetworkOutcome, Person, PrivacySettings, StatusAudience } from '../driver.ts'
import { buildNode, buildUserQuery } from './account-lookup.ts'
import type { BlockList } from './block-list.ts'
import { announceEffectFrame } from './connection/effect-frames.ts'
import { dropValue, findNode, readResponse, runRequest, sendQuery } from './connection/network-query.ts'
import { toNetworkJid, toPerson } from './ids.ts'
import type { MediaHosts } from './messages/media-hosts.ts'

/** The parts of the connection that are used here. */
interface AccountConnection {
  /** The account's own name; empty while unknown. */
  getProfileName(): string
  confirmRead(deadline: AbortSignal): Promise<NetworkOutcome>
}

export class AccountQueries implements AccountNetwork {
  readonly #sock: WASocket
  readonly #hosts: MediaHosts
  readonly #blockList: BlockList
  readonly #connection: AccountConnection

  constructor(sock: WASocket, hosts: MediaHosts, blockList: BlockList, connection: AccountConnection) {
    this.#sock = sock
    this.#hosts = hosts
    this.#blockList = blockList
    this.#connection = connection
  }

  getBlockList(deadline: AbortSignal): Promise<NetworkOutcome<Person[]>> {
    return this.#blockList.getBlockList(deadline)
  }

  getCachedBlockList(deadline: AbortSignal): Promise<NetworkOutcome<Person[]>> {
    return this.#blockList.getCachedBlockList(deadline)
  }

  setBlocked(person: Person, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#blockList.setBlocked(person, on, deadline)
  }

  async getPrivacySettings(deadline: AbortSignal): Promise<NetworkOutcome<PrivacySettings>> {
    const content = [{ tag: 'privacy', attrs: {} }]
    const query = { xmlns: 'privacy', type: 'get', content } as const
    return readResponse(await sendQuery(this.#sock, query, deadline), (response) => {
      const list = findNode(response, 'privacy')
      return list && readPrivacySettings(getBinaryNodeChildren(list, 'category'))
    })
  }

  async getStatusAudience(deadline: AbortSignal): Promise<NetworkOutcome<StatusAudience>> {
    const content = [{ tag: 'privacy', attrs: {} }]
    const query = { xmlns: 'status', type: 'get', content } as const
    return readResponse(await sendQuery(this.#sock, query, deadline), (response) => {
      const lists = getBinaryNodeChildren(findNode(response, 'privacy'), 'list')
      const list = lists.find(({ attrs }) => attrs.default === 'true') ?? lists[0]
      const to = audienceByName[list?.attrs.type ?? '']
      if (!list || !to) return undefined
      return { to, people: getBinaryNodeChildren(list, 'user').map(({ attrs }) => toPerson(attrs.jid)) }
    })
  }

  async setPrivacySetting(
    category: keyof PrivacySettings,
    value: string,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    const change = { tag: 'category', attrs: { name: category, value } }
    const content = [{ tag: 'privacy', attrs: {}, content: [change] }]
    return dropValue(await sendQuery(this.#sock, { xmlns: 'privacy', type: 'set', content }, deadline))
  }

  async getAbout(deadline: AbortSignal): Promise<NetworkOutcome<string>> {
    const jid = jidNormalizedUser(this.#sock.authState.creds.me?.id)
    const query = buildUserQuery(this.#sock, [buildNode('status')], [buildNode('user', undefined, { jid })])
    return readResponse(await sendQuery(this.#sock, query, deadline), (response) => {
      const about = findNode(response, 'usync', 'list', 'user', 'status')
      return about && readText(about)
    })
  }

  async setAbout(text: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    const content = [{ tag: 'status', attrs: {}, content: Buffer.from(text) }]
    return dropValue(await sendQuery(this.#sock, { xmlns: 'status', type: 'set', content }, deadline))
  }

  async getPictureUrl(jid: string, preview: boolean, deadline: AbortSignal): Promise<NetworkOutcome<string>> {
    const content = [{ tag: 'picture', attrs: { type: preview ? 'preview' : 'image', query: 'url' } }]
    const target = toNetworkJid(jid)
    const query = { xmlns: 'w:profile:picture', type: 'get', target, content } as const
    const outcome = await sendQuery(this.#sock, query, deadline)
    if (outcome.kind === 'refused' && HIDDEN_CODES.includes(outcome.code)) return { kind: 'done', value: '' }
    return readResponse(outcome, (response) => findNode(response, 'picture')?.attrs.url ?? '')
  }

  downloadPicture(url: string, maxBytes: number, deadline: AbortSignal): Promise<NetworkOutcome<Uint8Array>> {
    return runRequest(this.#sock, deadline, async () => {
      const outcome = await this.#hosts.downloadPicture(url, deadline)
      return outcome.kind === 'done' ? await readUpTo(outcome.value, maxBytes) : outcome
    })
  }

  showPresence(presence: 'available' | 'unavailable', deadline: AbortSignal): Promise<NetworkOutcome> {
    return runRequest(this.#sock, deadline, async () => {
      // Not by the library, which sends nothing while it does not know the account's name.
      const name = this.#connection.getProfileName().replaceAll('@', '')
      announceEffectFrame(this.#sock)
      await this.#sock.sendNode({ tag: 'presence', attrs: { type: presence, ...(name && { name }) } })
      return this.#connection.confirmRead(deadline)
    })
  }

  async setPicture(jpeg: Uint8Array, deadline: AbortSignal): Promise<NetworkOutcome<string>> {
    const content = [{ tag: 'picture', attrs: { type: 'image' }, content: Buffer.from(jpeg) }]
    return readResponse(
      await this.#sendPicture(content, deadline),
      (response) => findNode(response, 'picture')?.attrs.id,
    )
  }

  async removePicture(deadline: AbortSignal): Promise<NetworkOutcome> {
    return dropValue(await this.#sendPicture([], deadline))
  }

  #sendPicture(content: BinaryNode[], deadline: AbortSignal): Promise<NetworkOutcome<BinaryNode>> {
    return sendQuery(this.#sock, { xmlns: 'w:profile:picture', type: 'set', content }, deadline)
  }
}

const readText = ({ content }: BinaryNode): string =>
  content === undefined || Array.isArray(content) ? '' : Buffer.from(content).toString()

/** By the network's names. */
const audienceByName: Record<string, StatusAudience['to']> = {
  contacts: 'contacts',
  blacklist: 'contacts_except',
  whitelist: 'only',
}

async function readUpTo(body: Readable, maxBytes: number): Promise<NetworkOutcome<Uint8Array>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > maxBytes)
      return { kind: 'refused', code: 413, message: `the picture has over ${maxBytes} bytes` }
    chunks.push(chunk)
  }
  return { kind: 'done', value: Buffer.concat(chunks) }
}

/** The picture is hidden from us, or there is none. */
const HIDDEN_CODES = [401, 403, 404]

function readPrivacySettings(categories: BinaryNode[]): PrivacySettings {
  const values = new Map(categories.map(({ attrs }) => [attrs.name, attrs.value ?? '']))
  return Object.fromEntries(
    privacyCategories.map((name) => [name, values.get(name) ?? '']),
  ) as PrivacySettings
}
