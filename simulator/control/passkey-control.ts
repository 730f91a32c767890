// Passkeys of an account: its credentials, the state of a linking, and the owner's comparison of the code on the phone.
import { Hono } from 'hono'
import * as z from 'zod'
import type { Network } from '../network/simulated-network.ts'
import { buildStreamError } from '../network/stream-errors.ts'
import { linkCompanion } from '../pairing/link-companion.ts'
import { isSiteOrigin, parsePublicKey, readClientData } from '../passkeys/assertion.ts'
import type { Account } from '../store/account-table.ts'
import type { PasskeyDemand } from '../store/passkey-table.ts'
import { readBody, requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

const TEN_MINUTES = 600_000
const DEFAULT_DEMAND: PasskeyDemand = { rpId: 'localhost', timeoutMs: TEN_MINUTES, confirmation: true }

/** `true` for the usual: a passkey of `localhost`, ten minutes, and a code that the owner compares. */
export const PasskeyInput = z.union([
  z.boolean(),
  z.strictObject({
    rpId: z.string().min(1).default(DEFAULT_DEMAND.rpId),
    timeoutMs: z.int().positive().max(TEN_MINUTES).default(DEFAULT_DEMAND.timeoutMs),
    confirmation: z.boolean().default(DEFAULT_DEMAND.confirmation),
  }),
])

export function setPasskeyDemand({ store }: Network, number: string, input: z.infer<typeof PasskeyInput>) {
  store.passkeys.setDemand(number, typeof input === 'object' ? input : input ? DEFAULT_DEMAND : undefined)
}

const bytes = z.base64url().min(1)
/** What `PublicKeyCredential.toJSON` makes of a new credential; the rest of it is not needed. */
const NewCredential = z.object({
  rawId: bytes,
  response: z.object({ clientDataJSON: bytes, publicKey: bytes }),
})
const Confirmation = z.strictObject({ confirm: z.boolean().default(true) })

export function createPasskeyRoutes(network: Network) {
  return new Hono()
    .get('/:number/passkey', (c) =>
      c.json(describePasskeys(network, requirePhone(network, c.req.param('number')))),
    )

    .post('/:number/passkey/credentials', async (c) => {
      const { number } = requirePhone(network, c.req.param('number'))
      const demand = network.store.passkeys.findDemand(number)
      if (demand === undefined) throw createProblem(409, 'this account has no passkey')
      const { rawId, response } = await readBody(c, NewCredential)
      const client = readClientData(Buffer.from(response.clientDataJSON, 'base64url'))
      if (client?.type !== 'webauthn.create' || !isSiteOrigin(demand.rpId, client.origin))
        throw createProblem(400, `this credential was not made for ${demand.rpId}`, 'response')
      const publicKey = Buffer.from(response.publicKey, 'base64url')
      if (!isPublicKey(publicKey)) throw createProblem(400, 'this is no public key', 'response.publicKey')
      const id = Buffer.from(rawId, 'base64url')
      network.store.passkeys.addCredential({ id, number, publicKey, counter: 0 })
      return c.json({ id: rawId })
    })

    .post('/:number/passkey/confirm', async (c) => {
      const account = requirePhone(network, c.req.param('number'))
      const { confirm } = await readBody(c, Confirmation)
      const pairing = network.passkeys.findByAccount(account.number)
      if (pairing?.stage.name !== 'confirmation') throw createProblem(409, 'no device waits for this')
      const { connection, stage } = pairing
      network.passkeys.remove(connection)
      if (confirm)
        return c.json({
          device: await linkCompanion(network, connection, account, stage.secret),
        })
      // What the real network sends to a device that its owner rejects is not known.
      connection.socket.endWith(buildStreamError(401))
      return c.json({ device: null })
    })
}

function isPublicKey(der: Buffer): boolean {
  try {
    parsePublicKey(der)
    return true
  } catch {
    return false
  }
}

function describePasskeys({ store, passkeys }: Network, { number }: Account) {
  const pairing = passkeys.findByAccount(number)
  return {
    demand: store.passkeys.findDemand(number) ?? null,
    credentials: store.passkeys
      .listByNumber(number)
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
