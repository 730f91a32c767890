// Phones: creates them, links and unlinks companions, and reads the received messages.
import { Hono } from 'hono'
import * as z from 'zod'
import { formatAddress, toNeutralId } from '../network/address.ts'
import { unlinkCompanion } from '../network/devices.ts'
import type { Network } from '../network/simulated-network.ts'
import { pairByCode } from '../pairing/pair-by-code.ts'
import { pairByQr, parseQr } from '../pairing/pair-by-qr.ts'
import { migrateToLids } from '../phones/migrate-to-lids.ts'
import type { Account } from '../store/account-table.ts'
import { awaitPairing } from './await-pairing.ts'
import { PhoneNumber, readBody, requirePhone } from './control-body.ts'
import { NewChunk } from './history-control.ts'
import { PasskeyInput, setPasskeyDemand } from './passkey-control.ts'
import { createProblem } from './problem.ts'

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
  passkey: PasskeyInput.optional(),
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

export function createPhoneRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const wish = await readBody(c, NewPhone)
      const { number, name, autoReceipt, lidMigrated, groupAdd, business, hosted, passkey, history } = wish
      const account = network.store.accounts.ensureAccount(number, { name, autoReceipt, lidMigrated })
      if (groupAdd !== undefined) network.store.privacy.storeValue(number, 'groupadd', groupAdd)
      if (hosted !== undefined) network.store.hosted.set(number, hosted)
      if (business !== undefined) network.store.businesses.set(number, business)
      if (passkey !== undefined) setPasskeyDemand(network, number, passkey)
      if (history !== undefined) network.store.histories.set(number, history)
      return c.json(describePhone(account))
    })

    .get('/:number', (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const companions = network.store.companions.listByNumber(account.number).map(({ device }) => ({
        device,
        online: network.connections.findOnline(account.number, device) !== undefined,
      }))
      return c.json({ ...describePhone(account), companions })
    })

    .patch('/:number', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      await readBody(c, Migration)
      await migrateToLids(network, account)
      return c.json(describePhone(account))
    })

    .post('/:number/scan', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const code = parseQr((await readBody(c, Qr)).qr)
      if (code === undefined) throw createProblem(400, 'this is no linking code', 'qr')
      return c.json({ device: await awaitPairing(pairByQr(network, account, code)) })
    })

    .post('/:number/code', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { code } = await readBody(c, Code)
      if (!/^[0-9A-Z]{8}$/.test(code)) throw createProblem(400, 'a code has eight characters', 'code')
      return c.json({ device: await awaitPairing(pairByCode(network, account, code)) })
    })

    .post('/:number/unlink', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { device } = await readBody(c, Unlink)
      const present = network.store.companions
        .listByNumber(account.number)
        .map((companion) => companion.device)
      if (device !== undefined && !present.includes(device))
        throw createProblem(404, `no companion ${device}`)
      const devices = device === undefined ? present : [device]
      for (const one of devices) unlinkCompanion(network, account, one)
      return c.json({ devices })
    })

    .post('/:number/frames', async (c) => {
      const { number } = requirePhone(network, c.req.param('number'))
      const bytes = Buffer.from((await readBody(c, Frame)).raw, 'base64')
      const reached = network.connections.listConnections(number)
      for (const { socket } of reached) socket.sendEncoded(bytes)
      return c.json({ reached: reached.length })
    })

    .get('/:number/inbox', (c) => {
      const { number } = requirePhone(network, c.req.param('number'))
      return c.json({ messages: readInbox(network, number, c.req.query('after')) })
    })
}

/** `after` is a message's id, or a time in milliseconds, which is included. */
function readInbox({ store }: Network, number: string, after: string | undefined) {
  if (after === undefined) return store.inbox.listAll(number)
  const time = Number(after)
  return time >= EARLIEST_TIME
    ? store.inbox.listFromTime(number, time)
    : store.inbox.listAfterMessage(number, after)
}

function describePhone(account: Account) {
  const { number, lidMigrated } = account
  return { number, jid: toNeutralId(number), lid: formatAddress(account, 'lid'), lidMigrated }
}
