// An account's profile and privacy: shows them, and changes them on its phone.
import { Hono } from 'hono'
import * as z from 'zod'
import { buildStanza } from '../codec/stanza.ts'
import { setPicture } from '../groups/set-picture.ts'
import { toNeutralId } from '../network/address.ts'
import { isGroupChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_ABOUT } from '../network-limits.ts'
import { readStatusAudience, StatusAudience, setStatusAudience } from '../people/audience.ts'
import { isAvailable, setPhonePresence, showTyping } from '../people/presence.ts'
import { isAllowedValue, readPrivacy, setBlocked, setPrivacy } from '../people/privacy-settings.ts'
import { setAbout } from '../people/profile-notices.ts'
import { chooseForm } from '../phones/choose-form.ts'
import type { Account } from '../store/account-table.ts'
import { Name, readBody, requireChat, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

const ProfileChange = z.strictObject({
  about: z.string().max(MAX_ABOUT).optional(),
  /** A JPEG in base64; null removes the picture. */
  picture: z.base64().nullable().optional(),
  privacy: z.record(z.string(), z.string()).optional(),
  /** The audience of its status posts, by number. */
  statusAudience: StatusAudience.optional(),
  block: z.array(Name).default([]),
  unblock: z.array(Name).default([]),
})

/** Its owner uses the phone, puts it away, types or records in a chat, or stops. */
const PresenceChange = z.discriminatedUnion('state', [
  z.strictObject({ state: z.enum(['available', 'unavailable']) }),
  z.strictObject({
    state: z.enum(['composing', 'recording', 'paused']),
    to: Name,
    addressing: z.enum(['pn', 'lid']).optional(),
  }),
])

function showPhonePresence(network: Network, account: Account, change: z.infer<typeof PresenceChange>) {
  if (!('to' in change)) return setPhonePresence(network, account, change.state === 'available')
  const chat = requireChat(network, change.to)
  const form = isGroupChat(chat) ? chat.form : (change.addressing ?? chooseForm(network, account, chat))
  const activity =
    change.state === 'recording' ? buildStanza('composing', { media: 'audio' }) : buildStanza(change.state)
  showTyping(network, account, { chat, form }, activity)
}

export function createProfileRoutes(network: Network) {
  return new Hono()
    .get('/:number/profile', (c) =>
      c.json(describeProfile(network, requirePhone(network, c.req.param('number')))),
    )

    .post('/:number/presence', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      showPhonePresence(network, account, await readBody(c, PresenceChange))
      return c.json({ available: isAvailable(network, account) })
    })

    .patch('/:number/profile', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { about, picture, privacy = {}, statusAudience, ...others } = await readBody(c, ProfileChange)
      const categories = Object.entries(privacy).map(([name, value]) => ({ name, value }))
      const wrong = categories.find(({ name, value }) => !isAllowedValue(name, value))
      if (wrong !== undefined)
        throw createProblem(400, `no such setting: ${wrong.name} ${wrong.value}`, 'privacy')
      const block = others.block.map((name) => requirePhone(network, name))
      const unblock = others.unblock.map((name) => requirePhone(network, name))
      if (about !== undefined) setAbout(network, account, about)
      if (picture !== undefined) {
        const jpeg = picture === null ? undefined : Buffer.from(picture, 'base64')
        setPicture(network, account, undefined, jpeg)
      }
      if (statusAudience !== undefined) setStatusAudience(network, account, statusAudience)
      if (categories.length > 0) setPrivacy(network, account, categories)
      for (const other of block) setBlocked(network, account, other, 'block')
      for (const other of unblock) setBlocked(network, account, other, 'unblock')
      return c.json(describeProfile(network, account))
    })
}

function describeProfile(network: Network, account: Account) {
  const { number, name = '', about = '' } = account
  const { id, sha256, width, height } = network.store.pictures.findByOwner(number) ?? {}
  return {
    name,
    about,
    business: network.store.businesses.has(number),
    picture: id === undefined ? null : { id, sha256, width, height },
    privacy: readPrivacy(network, account),
    statusAudience: readStatusAudience(network, account),
    blocked: network.store.privacy.listBlocked(number).map(toNeutralId),
    available: isAvailable(network, account),
  }
}
