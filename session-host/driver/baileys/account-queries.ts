// The account itself: its privacy settings, its picture, its presence.

import type { Readable } from 'node:stream'
import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import { privacyCategories } from '../account-network.ts'
import type { AccountNetwork, NetworkOutcome, PrivacySettings, StatusAudience } from '../driver.ts'
import type { BlockList } from './block-list.ts'
import { dropValue, findNode, readResponse, runRequest, sendQuery } from './connection/network-query.ts'
import { toNetworkJid, toPerson } from './ids.ts'
import type { MediaHost } from './messages/media-host.ts'

/** `readProfileName`: the account's own name; empty while unknown. `blocking`, `heard` and `host` belong to the connection. */
export function createAccountNetwork(
  sock: WASocket,
  ownName: () => string,
  confirmRead: (deadline: AbortSignal) => Promise<NetworkOutcome>,
  mediaHost: MediaHost,
  blocking: BlockList,
): AccountNetwork {
  const picture = (content: BinaryNode[], deadline: AbortSignal) =>
    sendQuery(sock, { xmlns: 'w:profile:picture', type: 'set', content }, deadline)

  return {
    ...blocking,
    async getPrivacySettings(deadline) {
      const content = [{ tag: 'privacy', attrs: {} }]
      return readResponse(
        await sendQuery(sock, { xmlns: 'privacy', type: 'get', content }, deadline),
        (response) => {
          const list = findNode(response, 'privacy')
          return list && readPrivacySettings(getBinaryNodeChildren(list, 'category'))
        },
      )
    },
    async getStatusAudience(deadline) {
      const content = [{ tag: 'privacy', attrs: {} }]
      const outcome = await sendQuery(sock, { xmlns: 'status', type: 'get', content }, deadline)
      return readResponse(outcome, (node) => {
        const lists = getBinaryNodeChildren(findNode(node, 'privacy'), 'list')
        const list = lists.find(({ attrs }) => attrs.default === 'true') ?? lists[0]
        const to = audienceByName[list?.attrs.type ?? '']
        if (!list || !to) return undefined
        return { to, people: getBinaryNodeChildren(list, 'user').map(({ attrs }) => toPerson(attrs.jid)) }
      })
    },
    async setPrivacySetting(category, value, deadline) {
      const change = { tag: 'category', attrs: { name: category, value } }
      const content = [{ tag: 'privacy', attrs: {}, content: [change] }]
      return dropValue(await sendQuery(sock, { xmlns: 'privacy', type: 'set', content }, deadline))
    },
    async getPictureUrl(jid, preview, deadline) {
      const content = [{ tag: 'picture', attrs: { type: preview ? 'preview' : 'image', query: 'url' } }]
      const target = toNetworkJid(jid)
      const outcome = await sendQuery(
        sock,
        { xmlns: 'w:profile:picture', type: 'get', target, content },
        deadline,
      )
      if (outcome.kind === 'refused' && HIDDEN_CODES.includes(outcome.code))
        return { kind: 'done', value: '' }
      return readResponse(outcome, (node) => findNode(node, 'picture')?.attrs.url ?? '')
    },
    downloadPicture: (url, maxBytes, deadline) =>
      runRequest(async () => {
        const outcome = await mediaHost.downloadPicture(url, deadline)
        return outcome.kind === 'done' ? await readUpTo(outcome.value, maxBytes) : outcome
      }, deadline),
    async showPresence(presence, deadline) {
      // Not by the library, which sends nothing while it does not know the account's name.
      const name = ownName().replaceAll('@', '')
      await sock.sendNode({ tag: 'presence', attrs: { type: presence, ...(name && { name }) } })
      return confirmRead(deadline)
    },
    async setPicture(jpeg, deadline) {
      const content = [{ tag: 'picture', attrs: { type: 'image' }, content: Buffer.from(jpeg) }]
      return readResponse(
        await picture(content, deadline),
        (response) => findNode(response, 'picture')?.attrs.id,
      )
    },
    async removePicture(deadline) {
      return dropValue(await picture([], deadline))
    },
  }
}

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
  const answered = new Map(categories.map(({ attrs }) => [attrs.name, attrs.value ?? '']))
  return Object.fromEntries(
    privacyCategories.map((name) => [name, answered.get(name) ?? '']),
  ) as PrivacySettings
}
