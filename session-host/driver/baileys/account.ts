// The account itself: its privacy settings, its picture, its presence.

import type { Readable } from 'node:stream'
import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import { privacyCategories } from '../account.ts'
import type { AccountNetwork, Answer, PrivacySettings, StatusAudience } from '../driver.ts'
import type { Blocking } from './blocking.ts'
import { answered, ask, bare, inside, read } from './connection/ask.ts'
import { outward, person } from './ids.ts'
import type { MediaHost } from './messages/media-host.ts'

/** `ownName`: the account's own name; empty while unknown. `blocking`, `heard` and `host` belong to the connection. */
export function makeAccountNetwork(
  sock: WASocket,
  ownName: () => string,
  heard: (deadline: AbortSignal) => Promise<Answer>,
  host: MediaHost,
  blocking: Blocking,
): AccountNetwork {
  const picture = (content: BinaryNode[], deadline: AbortSignal) =>
    ask(sock, { xmlns: 'w:profile:picture', type: 'set', content }, deadline)

  return {
    ...blocking,
    async privacy(deadline) {
      const content = [{ tag: 'privacy', attrs: {} }]
      return read(await ask(sock, { xmlns: 'privacy', type: 'get', content }, deadline), (answer) => {
        const list = inside(answer, 'privacy')
        return list && settingsIn(getBinaryNodeChildren(list, 'category'))
      })
    },
    async statusAudience(deadline) {
      const content = [{ tag: 'privacy', attrs: {} }]
      const answer = await ask(sock, { xmlns: 'status', type: 'get', content }, deadline)
      return read(answer, (node) => {
        const lists = getBinaryNodeChildren(inside(node, 'privacy'), 'list')
        const list = lists.find(({ attrs }) => attrs.default === 'true') ?? lists[0]
        const to = audiences[list?.attrs.type ?? '']
        if (!list || !to) return undefined
        return { to, people: getBinaryNodeChildren(list, 'user').map(({ attrs }) => person(attrs.jid)) }
      })
    },
    async setPrivacy(category, value, deadline) {
      const change = { tag: 'category', attrs: { name: category, value } }
      const content = [{ tag: 'privacy', attrs: {}, content: [change] }]
      return bare(await ask(sock, { xmlns: 'privacy', type: 'set', content }, deadline))
    },
    async pictureUrl(jid, preview, deadline) {
      const content = [{ tag: 'picture', attrs: { type: preview ? 'preview' : 'image', query: 'url' } }]
      const target = outward(jid)
      const answer = await ask(sock, { xmlns: 'w:profile:picture', type: 'get', target, content }, deadline)
      if (answer.kind === 'refused' && NOT_SHOWN.includes(answer.code)) return { kind: 'done', value: '' }
      return read(answer, (node) => inside(node, 'picture')?.attrs.url ?? '')
    },
    picture: (url, atMost, deadline) =>
      answered(async () => {
        const answer = await host.open(url, deadline)
        return answer.kind === 'done' ? await readUpTo(answer.value, atMost) : answer
      }, deadline),
    async showPresence(presence, deadline) {
      // Not by the library, which sends nothing while it does not know the account's name.
      const name = ownName().replaceAll('@', '')
      await sock.sendNode({ tag: 'presence', attrs: { type: presence, ...(name && { name }) } })
      return heard(deadline)
    },
    async setPicture(jpeg, deadline) {
      const content = [{ tag: 'picture', attrs: { type: 'image' }, content: Buffer.from(jpeg) }]
      return read(await picture(content, deadline), (answer) => inside(answer, 'picture')?.attrs.id)
    },
    async removePicture(deadline) {
      return bare(await picture([], deadline))
    },
  }
}

/** By the network's names. */
const audiences: Record<string, StatusAudience['to']> = {
  contacts: 'contacts',
  blacklist: 'contacts_except',
  whitelist: 'only',
}

async function readUpTo(body: Readable, atMost: number): Promise<Answer<Uint8Array>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > atMost) return { kind: 'refused', code: 413, message: `the picture has over ${atMost} bytes` }
    chunks.push(chunk)
  }
  return { kind: 'done', value: Buffer.concat(chunks) }
}

/** The picture is hidden from us, or there is none. */
const NOT_SHOWN = [401, 403, 404]

function settingsIn(categories: BinaryNode[]): PrivacySettings {
  const answered = new Map(categories.map(({ attrs }) => [attrs.name, attrs.value ?? '']))
  return Object.fromEntries(
    privacyCategories.map((name) => [name, answered.get(name) ?? '']),
  ) as PrivacySettings
}
