// Requests of a candidate whose account needs a passkey: the assertion, the nonce, and the request to be linked.
import { bytesOf, stanza } from '../codec/stanza.ts'
import { SERVER } from '../network/address.ts'
import { type Candidate, type Connection, whose } from '../network/connections.ts'
import type { Network } from '../network/network.ts'
import { Refusal } from '../network/refusal.ts'
import { freshId, seconds } from '../network/stamps.ts'
import { makeOptions } from '../pairing/admit.ts'
import { link } from '../pairing/link.ts'
import { PairingRefused } from '../pairing/refused.ts'
import {
  confirmationCode,
  encodeSecrets,
  keepsCommitment,
  makeSecrets,
  openRequest,
  provesHandoff,
  readHello,
  requestKey,
} from '../passkeys/agreement.ts'
import { Assertion, verifyAssertion } from '../passkeys/assertion.ts'
import type { PasskeyPairing, PasskeyStage } from '../passkeys/passkey-pairings.ts'
import type { Request, RequestTable } from './request.ts'

// Which codes the real network answers with is not known: 404 when it waits for nothing of the kind, 401 for a passkey that it
// does not accept, 400 for what it cannot read.

export const passkeyRequests: RequestTable = {
  'md get ref'({ network, connection }) {
    if (connection.owner.kind !== 'candidate') throw new Refusal(400)
    const [reference = ''] = network.references.give(connection, 1)
    return [stanza('ref', {}, Buffer.from(reference))]
  },

  'md get passkey_request_options'({ network, connection }) {
    const { pairing } = stageAt(network, connection, 'assertion')
    return [makeOptions(network, pairing)]
  },

  'md set passkey_prologue': takeAssertion,

  'md set companion_nonce'({ network, connection, iq }) {
    const { pairing, stage } = stageAt(network, connection, 'nonce')
    const nonce = bytesOf(iq, 'companion_nonce')
    if (nonce === undefined || !keepsCommitment(stage.hello, nonce)) return end(pairing, network)
    const code = confirmationCode(stage.phone, nonce)
    pairing.stage = { name: 'request', code, key: requestKey(stage.phone, stage.hello), proven: stage.proven }
    return []
  },

  'md set encrypted_pairing_request'({ network, connection, iq }) {
    const { pairing, stage, candidate } = stageAt(network, connection, 'request')
    const request = bytesOf(iq, 'encrypted_pairing_request')
    const secret = request && openRequest(stage.key, request, candidate)
    if (secret === undefined) return end(pairing, network)
    pairing.stage = { name: 'confirmation', code: stage.code, secret }
    const compare = network.store.passkeys.demand(pairing.account.number)?.confirmation
    if (stage.proven && !compare) setImmediate(() => linkWithoutOwner(network, pairing, secret))
    return []
  },
}

function takeAssertion({ network, connection, child: prologue }: Request) {
  const { pairing, stage } = stageAt(network, connection, 'assertion')
  const payload = bytesOf(prologue, 'prologue_payload')
  const hello = payload && readHello(payload)
  const assertion = readAssertion(bytesOf(prologue, 'webauthn_assertion'))
  const credentialId = bytesOf(prologue, 'credential_id')
  if (!hello || !assertion || !credentialId?.equals(assertion.rawId)) throw new Refusal(400)
  if (network.references.holder(hello.reference) !== connection) throw new Refusal(400)
  const refused = judgeAssertion(network, pairing, stage.challenge, assertion)
  pairing.stage = { name: 'assertion', challenge: undefined }
  network.log.saw(whose(connection), { what: 'passkey', refused })
  if (refused !== '') throw new Refusal(401)
  const proof = bytesOf(prologue, 'pairing_handoff_proof')
  if (proof && !provesHandoff(pairing.secret, payload, proof)) return end(pairing, network)
  const phone = makeSecrets()
  pairing.stage = { name: 'nonce', hello, phone, proven: proof !== undefined }
  const attrs = { from: SERVER, type: 'crsc_continuation', id: freshId(), t: seconds() }
  const identity = stanza('primary_ephemeral_identity', {}, encodeSecrets(phone))
  setImmediate(() => connection.socket.send(stanza('notification', attrs, [identity])))
  return []
}

/** Why it is not accepted, or an empty text. */
function judgeAssertion(
  { store }: Network,
  { account }: PasskeyPairing,
  challenge: Buffer | undefined,
  assertion: Assertion,
): string {
  const demand = store.passkeys.demand(account.number)
  if (challenge === undefined || demand === undefined) return 'the challenge is used up'
  const credential = store.passkeys.find(assertion.rawId)
  if (credential?.number !== account.number) return 'no credential of this account'
  const verdict = verifyAssertion(assertion, { challenge, rpId: demand.rpId, credential })
  if ('refused' in verdict) return verdict.refused
  store.passkeys.setCounter(credential.id, verdict.counter)
  return ''
}

function readAssertion(bytes: Buffer | undefined): Assertion | undefined {
  try {
    return Assertion.safeParse(JSON.parse(bytes?.toString('utf8') ?? '')).data
  } catch {
    return undefined
  }
}

function stageAt<Name extends PasskeyStage['name']>(network: Network, connection: Connection, name: Name) {
  const pairing = network.passkeys.of(connection)
  const { owner } = connection
  if (pairing?.stage.name !== name || owner.kind !== 'candidate') throw new Refusal(404)
  const candidate: Candidate = owner.candidate
  return { pairing, candidate, stage: pairing.stage as Extract<PasskeyStage, { name: Name }> }
}

/** A device that does not keep to the agreement gets no second try. */
function end({ connection }: PasskeyPairing, network: Network): never {
  network.passkeys.withdraw(connection)
  throw new Refusal(400)
}

async function linkWithoutOwner(network: Network, { connection, account }: PasskeyPairing, secret: Buffer) {
  try {
    await link(network, connection, account, secret)
  } catch (error) {
    if (!(error instanceof PairingRefused)) throw error
    // The device went away, or did not sign: its socket is closed, and with it the pairing is over.
    console.error(error.message)
  }
}
