// Passkeys of an account: which it has, how far a linking has come, and the owner who compares the code on the phone.
import { Hono } from 'hono'
import * as z from 'zod'
import type { Network } from '../network/network.ts'
import { streamError } from '../network/stream-errors.ts'
import { link } from '../pairing/link.ts'
import { isOriginOf, publicKeyOf, readClientData } from '../passkeys/assertion.ts'
import type { Account } from '../store/accounts.ts'
import type { PasskeyDemand } from '../store/passkeys.ts'
import { bodyOf, phoneNamed } from './body.ts'
import { linked } from './linked.ts'
import { problem } from './problem.ts'

const TEN_MINUTES = 600_000
const byDefault: PasskeyDemand = { rpId: 'localhost', timeoutMs: TEN_MINUTES, confirmation: true }

/** `true` for the usual: a passkey of `localhost`, ten minutes, and a code that the owner compares. */
export const PasskeyWish = z.union([
  z.boolean(),
  z.strictObject({
    rpId: z.string().min(1).default(byDefault.rpId),
    timeoutMs: z.int().positive().max(TEN_MINUTES).default(byDefault.timeoutMs),
    confirmation: z.boolean().default(byDefault.confirmation),
  }),
])

export function demandPasskey({ store }: Network, number: string, wish: z.infer<typeof PasskeyWish>) {
  store.passkeys.setDemand(number, typeof wish === 'object' ? wish : wish ? byDefault : undefined)
}

const bytes = z.base64url().min(1)
/** What `PublicKeyCredential.toJSON` makes of a new credential; the rest of it is not needed. */
const NewCredential = z.object({
  rawId: bytes,
  response: z.object({ clientDataJSON: bytes, publicKey: bytes }),
})
const Confirmation = z.strictObject({ confirm: z.boolean().default(true) })

export function passkeyRoutes(network: Network) {
  return new Hono()
    .get('/:number/passkey', (c) => c.json(described(network, phoneNamed(network, c.req.param('number')))))

    .post('/:number/passkey/credentials', async (c) => {
      const { number } = phoneNamed(network, c.req.param('number'))
      const demand = network.store.passkeys.demand(number)
      if (demand === undefined) throw problem(409, 'this account has no passkey')
      const { rawId, response } = await bodyOf(c, NewCredential)
      const client = readClientData(Buffer.from(response.clientDataJSON, 'base64url'))
      if (client?.type !== 'webauthn.create' || !isOriginOf(demand.rpId, client.origin))
        throw problem(400, `this credential was not made for ${demand.rpId}`, 'response')
      const publicKey = Buffer.from(response.publicKey, 'base64url')
      if (!isPublicKey(publicKey)) throw problem(400, 'this is no public key', 'response.publicKey')
      const id = Buffer.from(rawId, 'base64url')
      network.store.passkeys.add({ id, number, publicKey, counter: 0 })
      return c.json({ id: rawId })
    })

    .post('/:number/passkey/confirm', async (c) => {
      const account = phoneNamed(network, c.req.param('number'))
      const { confirm } = await bodyOf(c, Confirmation)
      const pairing = network.passkeys.ofAccount(account.number)
      if (pairing?.stage.name !== 'confirmation') throw problem(409, 'no device waits for this')
      const { connection, stage } = pairing
      network.passkeys.withdraw(connection)
      if (confirm) return c.json({ device: await linked(link(network, connection, account, stage.secret)) })
      // What the real network tells a device whose owner says no is not known.
      connection.socket.end(streamError(401))
      return c.json({ device: null })
    })
}

function isPublicKey(der: Buffer): boolean {
  try {
    publicKeyOf(der)
    return true
  } catch {
    return false
  }
}

function described({ store, passkeys }: Network, { number }: Account) {
  const pairing = passkeys.ofAccount(number)
  return {
    demand: store.passkeys.demand(number) ?? null,
    credentials: store.passkeys
      .of(number)
      .map(({ id, counter }) => ({ id: id.toString('base64url'), counter })),
    linking: pairing
      ? {
          stage: pairing.stage.name,
          confirmation: 'code' in pairing.stage ? pairing.stage.code : '',
          expiresAt: pairing.expiresAt,
        }
      : null,
  }
}
