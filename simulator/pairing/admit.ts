// What follows when a phone has accepted a candidate: it is linked, or first has to show the account's passkey.
import { randomBytes } from 'node:crypto'
import { type Stanza, stanza } from '../codec/stanza.ts'
import { SERVER } from '../network/address.ts'
import type { Connection } from '../network/connections.ts'
import type { Network } from '../network/network.ts'
import { freshId, seconds } from '../network/stamps.ts'
import type { PasskeyPairing } from '../passkeys/passkey-pairings.ts'
import type { Account } from '../store/accounts.ts'
import { link } from './link.ts'
import { PairingRefused } from './refused.ts'

const CHALLENGE_BYTES = 32

/** Resolves to the device number, or to null while the device has to show a passkey. */
export async function admit(
  network: Network,
  connection: Connection,
  account: Account,
  secret: Buffer,
): Promise<number | null> {
  const demand = network.store.passkeys.demand(account.number)
  if (demand === undefined) return link(network, connection, account, secret)
  if (network.passkeys.of(connection)) throw new PairingRefused('this device is being linked already')
  network.references.takeBack(connection)
  const expiresAt = Date.now() + demand.timeoutMs
  const pairing: PasskeyPairing = {
    ...{ connection, account, secret, expiresAt },
    stage: { name: 'assertion', challenge: undefined },
  }
  network.passkeys.begin(pairing)
  const attrs = { from: SERVER, type: 'passkey_prologue_request', id: freshId(), t: seconds() }
  connection.socket.send(stanza('notification', attrs, [makeOptions(network, pairing)]))
  return null
}

/** The options for `navigator.credentials.get`, with a challenge that replaces the former one. */
export function makeOptions(network: Network, pairing: PasskeyPairing): Stanza {
  const challenge = randomBytes(CHALLENGE_BYTES)
  pairing.stage = { name: 'assertion', challenge }
  const options = {
    challenge: challenge.toString('base64url'),
    timeout: pairing.expiresAt - Date.now(),
    rpId: network.store.passkeys.demand(pairing.account.number)?.rpId,
    allowCredentials: [],
    userVerification: 'required',
    extensions: { uvm: true },
  }
  return stanza('passkey_request_options', {}, Buffer.from(JSON.stringify(options)))
}
