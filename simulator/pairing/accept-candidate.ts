// What follows when a phone has accepted a candidate: it is linked, or first has to show the account's passkey.
import { randomBytes } from 'node:crypto'
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { SERVER } from '../network/address.ts'
import type { Connection } from '../network/connections.ts'
import type { PasskeyPairing } from '../network/passkey-pairings.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import { linkCompanion } from './link-companion.ts'
import { PairingRefused } from './pairing-refused.ts'

const CHALLENGE_BYTES = 32

/** Resolves to the device number, or to null while the device has to show a passkey. */
export async function acceptCandidate(
  network: Network,
  connection: Connection,
  account: Account,
  secret: Buffer,
): Promise<number | null> {
  const demand = network.store.passkeys.findDemand(account.number)
  if (demand === undefined) return linkCompanion(network, connection, account, secret)
  if (network.passkeys.findPairing(connection))
    throw new PairingRefused('this device is being linked already')
  network.references.revokeReferences(connection)
  const pairing: PasskeyPairing = {
    connection,
    account,
    secret,
    expiresAt: Date.now() + demand.timeoutMs,
    stage: { name: 'assertion', challenge: undefined },
  }
  network.passkeys.add(pairing)
  const attrs = { from: SERVER, type: 'passkey_prologue_request', id: createId(), t: formatSeconds() }
  connection.socket.send(buildStanza('notification', attrs, [buildPasskeyOptions(network, pairing)]))
  return null
}

/** The options for `navigator.credentials.get`, with a challenge that replaces the previous one. */
export function buildPasskeyOptions(network: Network, pairing: PasskeyPairing): Stanza {
  const challenge = randomBytes(CHALLENGE_BYTES)
  pairing.stage = { name: 'assertion', challenge }
  const options = {
    challenge: challenge.toString('base64url'),
    timeout: pairing.expiresAt - Date.now(),
    rpId: network.store.passkeys.findDemand(pairing.account.number)?.rpId,
    allowCredentials: [],
    userVerification: 'required',
    extensions: { uvm: true },
  }
  return buildStanza('passkey_request_options', {}, Buffer.from(JSON.stringify(options)))
}
