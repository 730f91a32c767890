// Phones: creates, shows and limits them, and reads the messages that they received.
import { Hono } from 'hono'
import * as z from 'zod'
import { formatAddress, toNeutralId } from '../network/address.ts'
import { findLockEnd, setChatCap, setTimeLock } from '../network/limit-account.ts'
import type { Network } from '../network/simulated-network.ts'
import { migrateToLids } from '../phones/migrate-to-lids.ts'
import { reinstallPhone, setRetries } from '../phones/reinstall-phone.ts'
import { setResend } from '../phones/resend-to-companion.ts'
import type { Account } from '../store/account-table.ts'
import { PhoneNumber, readBody, requirePhone } from './control-body.ts'
import { NewChunk } from './history-control.ts'
import { PasskeyInput, setPasskeyDemand } from './passkey-control.ts'
import { createProblem } from './problem.ts'

const NewPhone = z.strictObject({
  number: PhoneNumber,
  name: z.string().min(1).max(100).optional(),
  autoReceipt: z.boolean().optional(),
  /** Empty to give it up. */
  username: z
    .string()
    .regex(/^([A-Za-z0-9._]{3,35})?$/, 'three to 35 letters, digits, dots or underscores')
    .optional(),
  /** Asked of those who look the username up. */
  usernameKey: z
    .string()
    .regex(/^\d{4}$/, 'four digits')
    .optional(),
  /** Whether its chats were moved to LIDs; its companions learn of that when they are linked. */
  lidMigrated: z.boolean().optional(),
  /** Whether it requests again what it cannot read; `false`: its requests are lost. */
  retries: z.boolean().optional(),
  /** Whether it sends its devices again what they cannot read, when they ask for it. */
  resend: z.boolean().optional(),
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
const Reinstallation = z.strictObject({ retries: z.boolean().optional() })
/** There is no way back. */
const Migration = z.strictObject({ lidMigrated: z.literal(true) })
/** Times in milliseconds since the epoch; 0 ends a lock. */
const LimitsChange = z.strictObject({
  timeLockUntil: z.int().min(0).optional(),
  /** The account's devices are not notified; they learn of it by a refusal. */
  quietly: z.boolean().default(false),
  newChatCap: z
    .strictObject({ total: z.int().min(0), used: z.int().min(0), until: z.int().positive() })
    .optional(),
})

/** Milliseconds since the epoch. No id of a phone or of a client looks like that: ids are longer, or have letters. */
const TIME = /^\d{13}$/

export function createPhoneRoutes(network: Network) {
  return new Hono()
    .post('/', async (c) => {
      const phone = await readBody(c, NewPhone)
      const { number, groupAdd, business, hosted, passkey, history, retries, resend, ...input } = phone
      const account = network.store.accounts.ensureAccount(number, input)
      if (groupAdd !== undefined) network.store.privacy.storeValue(number, 'groupadd', groupAdd)
      if (retries !== undefined) setRetries(network, account, retries)
      if (resend !== undefined) setResend(network, account, resend)
      if (hosted !== undefined) network.store.hosted.set(number, hosted)
      if (business !== undefined) network.store.businesses.set(number, business)
      if (passkey !== undefined) setPasskeyDemand(network, number, passkey)
      if (history !== undefined) network.store.histories.set(number, history)
      return c.json(describePhone(account))
    })

    .post('/:number/reinstall', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { retries } = await readBody(c, Reinstallation)
      if (retries !== undefined) setRetries(network, account, retries)
      reinstallPhone(network, account)
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

    .patch('/:number/limits', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { timeLockUntil, newChatCap, quietly } = await readBody(c, LimitsChange)
      if (timeLockUntil !== undefined) setTimeLock(network, account, timeLockUntil, quietly)
      if (newChatCap !== undefined) setChatCap(network, account, newChatCap)
      return c.json({ timeLockUntil: findLockEnd(network, account) })
    })

    .get('/:number/inbox', (c) => {
      const { number } = requirePhone(network, c.req.param('number'))
      return c.json({ messages: readInbox(network, number, c.req.query('after')) })
    })
}

/** `after` is a message's id, or a time in milliseconds, which is included. */
function readInbox({ store }: Network, number: string, after: string | undefined) {
  if (after === undefined) return store.inbox.listAll(number)
  if (TIME.test(after)) return store.inbox.listFromTime(number, Number(after))
  const messages = store.inbox.listAfterMessage(number, after)
  if (messages === undefined) throw createProblem(404, `the phone ${number} has no message ${after}`)
  return messages
}

function describePhone(account: Account) {
  const { number, lidMigrated } = account
  return { number, jid: toNeutralId(number), lid: formatAddress(account, 'lid'), lidMigrated }
}
