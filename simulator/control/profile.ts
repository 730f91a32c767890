// An account's profile and privacy: shows them, and changes them on its phone.
import { Hono } from 'hono'
import * as z from 'zod'
import { setPicture } from '../groups/picture.ts'
import { neutralId } from '../network/address.ts'
import { StatusAudience, setStatusAudience, statusAudienceOf } from '../network/messages/audience.ts'
import type { Network } from '../network/network.ts'
import { isThere } from '../network/presence.ts'
import { mayBe, privacyOf, setBlocked, setPrivacy } from '../network/privacy.ts'
import { setAbout } from '../network/profile.ts'
import type { Account } from '../store/accounts.ts'
import { bodyOf, Name, phoneNamed } from './body.ts'
import { problem } from './problem.ts'

const ProfileChange = z.strictObject({
  about: z.string().max(139).optional(),
  /** A JPEG in base64; null takes the picture away. */
  picture: z.base64().nullable().optional(),
  privacy: z.record(z.string(), z.string()).optional(),
  /** The audience of its status posts, by number. */
  statusAudience: StatusAudience.optional(),
  block: z.array(Name).default([]),
  unblock: z.array(Name).default([]),
})

export function profileRoutes(network: Network) {
  return new Hono()
    .get('/:number/profile', (c) => c.json(described(network, phoneNamed(network, c.req.param('number')))))

    .patch('/:number/profile', async (c) => {
      const account = phoneNamed(network, c.req.param('number'))
      const { about, picture, privacy = {}, statusAudience, ...others } = await bodyOf(c, ProfileChange)
      const categories = Object.entries(privacy).map(([name, value]) => ({ name, value }))
      const wrong = categories.find(({ name, value }) => !mayBe(name, value))
      if (wrong !== undefined) throw problem(400, `no such setting: ${wrong.name} ${wrong.value}`, 'privacy')
      const block = others.block.map((name) => phoneNamed(network, name))
      const unblock = others.unblock.map((name) => phoneNamed(network, name))
      if (about !== undefined) setAbout(network, account, about)
      if (picture !== undefined) {
        const jpeg = picture === null ? undefined : Buffer.from(picture, 'base64')
        setPicture(network, account, undefined, jpeg)
      }
      if (statusAudience !== undefined) setStatusAudience(network, account, statusAudience)
      if (categories.length > 0) setPrivacy(network, account, categories)
      for (const other of block) setBlocked(network, account, other, 'block')
      for (const other of unblock) setBlocked(network, account, other, 'unblock')
      return c.json(described(network, account))
    })
}

function described(network: Network, account: Account) {
  const { number, name = '', about = '' } = account
  const { id, sha256, width, height } = network.store.pictures.of(number) ?? {}
  return {
    name,
    about,
    business: network.store.businesses.has(number),
    picture: id === undefined ? null : { id, sha256, width, height },
    privacy: privacyOf(network, account),
    statusAudience: statusAudienceOf(network, account),
    blocked: network.store.privacy.blocked(number).map(neutralId),
    available: isThere(network, account),
  }
}
