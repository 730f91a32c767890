// Phones: creates them, links and unlinks companions, and reads the received messages.
import { Hono } from 'hono'
import * as z from 'zod'
import { addressOf, neutralId } from '../network/address.ts'
import { unlink } from '../network/devices.ts'
import type { Network } from '../network/network.ts'
import { typeCode } from '../pairing/code.ts'
import { readQr, scan } from '../pairing/qr.ts'
import { migrateToLids } from '../phones/lid-migration.ts'
import type { Account } from '../store/accounts.ts'
import { bodyOf, PhoneNumber, phoneNamed } from './body.ts'
import { NewChunk } from './history.ts'
import { linked } from './linked.ts'
import { demandPasskey, PasskeyWish } from './passkeys.ts'
import { problem } from './problem.ts'

const NewPhone = z.strictObject({
  number: PhoneNumber,
  name: z.string().min(1).max(100).optional(),
  autoReceipt: z.boolean().optional(),
  /** Whether its chats were moved to LIDs; its companions hear of that when they are linked. */
  lidMigrated: z.boolean().optional(),
  /** Who may add this account to groups. */
  groupAdd: z.enum(['all', 'contacts']).optional(),
  /** Whether a server of its company has a device of it. */
  hosted: z.boolean().optional(),
  /** Whether it is a business account; companions are informed when they are linked. */
  business: z.boolean().optional(),
  /** Whether a device is linked only after a passkey. */
  passkey: PasskeyWish.optional(),
  /** What companions are sent when they are linked, in place of the usual history. */
  history: z.array(NewChunk).max(100).optional(),
})
/** There is no way back. */
const Migration = z.strictObject({ lidMigrated: z.literal(true) })
const Qr = z.strictObject({ qr: z.string().min(1) })
const Code = z.strictObject({
  code: z.string().transform((code) => code.replace(/[\s-]/g, '').toUpperCase()),
})
const Frame = z.strictObject({ raw: z.base64().min(4) })
const Unlink = z.strictObject({ device: z.int().positive().optional() })

/** Numbers below this are positions, not times in milliseconds. */
const EARLIEST_TIME = 1e12

export function phoneRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const wish = await bodyOf(c, NewPhone)
      const { number, name, autoReceipt, lidMigrated, groupAdd, business, hosted, passkey, history } = wish
      const account = network.store.accounts.ensure(number, { name, autoReceipt, lidMigrated })
      if (groupAdd !== undefined) network.store.privacy.set(number, 'groupadd', groupAdd)
      if (hosted !== undefined) network.store.hosted.set(number, hosted)
      if (business !== undefined) network.store.businesses.set(number, business)
      if (passkey !== undefined) demandPasskey(network, number, passkey)
      if (history !== undefined) network.store.histories.set(number, history)
      return c.json(described(account))
    })

    .get('/:number', (c) => {
      const account = phoneNamed(network, c.req.param('number'))
      const companions = network.store.companions.of(account.number).map(({ device }) => ({
        device,
        online: network.connections.online(account.number, device) !== undefined,
      }))
      return c.json({ ...described(account), companions })
    })

    .patch('/:number', async (c) => {
      const account = phoneNamed(network, c.req.param('number'))
      await bodyOf(c, Migration)
      await migrateToLids(network, account)
      return c.json(described(account))
    })

    .post('/:number/scan', async (c) => {
      const account = phoneNamed(network, c.req.param('number'))
      const code = readQr((await bodyOf(c, Qr)).qr)
      if (code === undefined) throw problem(400, 'this is no linking code', 'qr')
      return c.json({ device: await linked(scan(network, account, code)) })
    })

    .post('/:number/code', async (c) => {
      const account = phoneNamed(network, c.req.param('number'))
      const { code } = await bodyOf(c, Code)
      if (!/^[0-9A-Z]{8}$/.test(code)) throw problem(400, 'a code has eight characters', 'code')
      return c.json({ device: await linked(typeCode(network, account, code)) })
    })

    .post('/:number/unlink', async (c) => {
      const account = phoneNamed(network, c.req.param('number'))
      const { device } = await bodyOf(c, Unlink)
      const present = network.store.companions.of(account.number).map((companion) => companion.device)
      if (device !== undefined && !present.includes(device)) throw problem(404, `no companion ${device}`)
      const devices = device === undefined ? present : [device]
      for (const one of devices) unlink(network, account, one)
      return c.json({ devices })
    })

    .post('/:number/frames', async (c) => {
      const { number } = phoneNamed(network, c.req.param('number'))
      const bytes = Buffer.from((await bodyOf(c, Frame)).raw, 'base64')
      const reached = network.connections.of(number)
      for (const { socket } of reached) socket.sendEncoded(bytes)
      return c.json({ reached: reached.length })
    })

    .get('/:number/inbox', (c) => {
      const { number } = phoneNamed(network, c.req.param('number'))
      return c.json({ messages: inboxAfter(network, number, c.req.query('after')) })
    })
}

/** `after` is a message's id, or a time in milliseconds, which is included. */
function inboxAfter({ store }: Network, number: string, after: string | undefined) {
  if (after === undefined) return store.inbox.all(number)
  const time = Number(after)
  return time >= EARLIEST_TIME ? store.inbox.fromTime(number, time) : store.inbox.afterMessage(number, after)
}

function described(account: Account) {
  const { number, lidMigrated } = account
  return { number, jid: neutralId(number), lid: addressOf(account, 'lid'), lidMigrated }
}
