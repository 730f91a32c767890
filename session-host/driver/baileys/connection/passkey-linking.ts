// Links a device whose account demands a passkey: reports what has to be signed, sends the assertion, and agrees with the phone on a code.

import type { PasskeyAssertion, PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { type BinaryNode, getBinaryNodeChildBuffer, type proto, type WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { Cancel, Clock } from '../../../process/machine-clock.ts'
import type { Closing, NetworkOutcome } from '../../driver.ts'
import type { PasskeyStep, SendAssertion } from '../../passkey-step.ts'
import { readResponse, sendQuery } from './network-query.ts'
import { deriveHandoffKey, PasskeyKeys, readPhoneKey } from './passkey-keys.ts'
import { buildAssertionNode, readChallenge, readOptions } from './passkey-nodes.ts'

/** For a challenge without a time of its own. */
const CHALLENGE_MS = 10 * MINUTE
/** For the owner, who compares the code. */
const CONFIRM_MS = 5 * MINUTE
/** For the network's answer to a request of ours that no caller waits for. */
const RESPONSE_MS = 15 * SECOND
/** The phone believes a proof of the QR code or pairing code no longer than this. */
const HANDOFF_MS = 5 * MINUTE
const SECRET_BYTES = 32

/** `idle`: no passkey is requested. `sent`: the assertion is accepted, and the phone comes next. */
type Stage = 'idle' | 'requested' | 'sending' | 'sent' | 'linked'

interface Deps {
  sock: WASocket
  deviceType: proto.DeviceProps.PlatformType
  clock: Clock
  log: Log
  isListening(): boolean
  /** The network requests a passkey: the codes are of no use any more. */
  onRequested(): void
  onStep(step: PasskeyStep): void
  /** The pairing cannot go on. */
  onEnd(closing: Closing): void
}

export class PasskeyLinking {
  readonly #deps: Deps
  #stage: Stage = 'idle'
  #options: PasskeyOptions | undefined
  #handoff: { key: Buffer; until: number } | undefined
  #keys: PasskeyKeys | undefined
  #until = 0
  #cancelTimeout: Cancel = () => undefined
  /** The library does not settle requests when its socket ends. */
  readonly #ended = new AbortController()

  constructor(deps: Deps) {
    this.#deps = deps
    const { ws } = deps.sock
    const handle = (step: (node: BinaryNode) => Promise<void>) => (node: BinaryNode) =>
      void step(node).catch((error) => {
        deps.log.warn({ error }, 'failed to handle passkey step')
        this.#end('the step of the passkey failed')
      })
    ws.on(
      'CB:notification,type:passkey_prologue_request',
      handle((node) => this.#onRequest(node)),
    )
    ws.on(
      'CB:notification,type:crsc_continuation',
      handle((node) => this.#onPhoneKey(node)),
    )
    ws.on('CB:iq,,pair-success', () => {
      this.#stage = 'linked'
      this.#cancelTimeout()
    })
  }

  sendAssertion: SendAssertion = async (assertion, deadline) => {
    if (this.#stage !== 'requested' || !this.#options) return { kind: 'done', value: 'not_requested' }
    if (readChallenge(assertion) !== this.#options.challenge)
      return { kind: 'done', value: 'other_challenge' }
    this.#stage = 'sending'
    const outcome = await this.#sendPrologue(assertion, deadline)
    const sent = { kind: 'done', value: 'sent' } as const
    // The phone's key may have arrived before this method went on.
    if (this.#getStage() !== 'sending') return outcome.kind === 'done' ? sent : outcome
    if (outcome.kind === 'done') {
      this.#stage = 'sent'
      this.#setTimeLimit(CONFIRM_MS)
      this.#reportStep('')
      return sent
    }
    this.#stage = 'requested'
    // A challenge is good for one assertion.
    if (outcome.kind === 'refused') this.#options = (await this.#requestOptions()) ?? this.#options
    this.#reportStep('')
    return outcome
  }

  /** The same closing, or what it means while the network waits for a passkey or the owner. */
  classifyClosing(closing: Closing): Closing {
    const stage = this.#stage
    if (stage === 'idle' || stage === 'linked' || !reclassifiedKinds.includes(closing.kind)) return closing
    return { ...closing, kind: stage === 'sent' ? 'pairing_expired' : 'passkey_required' }
  }

  stop(): void {
    this.#cancelTimeout()
    this.#ended.abort()
  }

  async #onRequest(node: BinaryNode): Promise<void> {
    const { sock, log, isListening, onRequested } = this.#deps
    if (!isListening() || !isFromServer(node) || sock.authState.creds.account) return
    if (this.#stage === 'idle') {
      this.#stage = 'requested'
      log.info('network requested passkey')
      onRequested()
      this.#replaceSecret()
    }
    if (this.#stage !== 'requested') return
    const options = readOptions(node) ?? (await this.#requestOptions())
    if (options) this.#startAssertion(options)
    else this.#end('it is not known what the passkey has to sign')
  }

  /** The phone learns a new secret later, under the key that both agree on then; the known one only proves which device this is. */
  #replaceSecret(): void {
    const { sock, clock } = this.#deps
    const { creds } = sock.authState
    const secret = Buffer.from(creds.advSecretKey, 'base64')
    this.#handoff = { key: deriveHandoffKey(secret), until: clock.now() + HANDOFF_MS }
    creds.advSecretKey = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')
  }

  async #requestOptions(): Promise<PasskeyOptions | undefined> {
    const node = { tag: 'passkey_request_options', attrs: {} }
    const outcome = readResponse(await this.#sendMdQuery('get', node), readOptions)
    if (outcome.kind === 'done') return outcome.value
    this.#deps.log.warn({ outcome }, 'failed to request passkey options')
    return undefined
  }

  #startAssertion(options: PasskeyOptions): void {
    this.#stage = 'requested'
    this.#options = options
    const { timeout } = options
    this.#setTimeLimit(timeout && timeout > 0 ? Math.min(timeout, CHALLENGE_MS) : CHALLENGE_MS)
    this.#reportStep('')
  }

  async #sendPrologue(
    assertion: PasskeyAssertion,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<BinaryNode>> {
    const reference = readResponse(
      await this.#sendMdQuery('get', { tag: 'ref', attrs: {} }, deadline),
      (response) => readText(response, 'ref'),
    )
    if (reference.kind !== 'done') return reference
    const keys = new PasskeyKeys(reference.value, this.#deps.deviceType)
    this.#keys = keys
    const handoff = this.#handoff
    const proof =
      handoff && this.#deps.clock.now() < handoff.until ? keys.computeProof(handoff.key) : undefined
    return this.#sendMdQuery('set', buildAssertionNode(assertion, keys.prologue, proof), deadline)
  }

  async #onPhoneKey(node: BinaryNode): Promise<void> {
    const keys = this.#keys
    if (!keys || !isFromServer(node) || !['requested', 'sending', 'sent'].includes(this.#stage)) return
    this.#keys = undefined
    const bytes = getBinaryNodeChildBuffer(node, 'primary_ephemeral_identity')
    const phone = bytes && readPhoneKey(bytes)
    if (!phone) return this.#end('the key of the phone was not understood')
    this.#stage = 'sent'
    this.#setTimeLimit(CONFIRM_MS)
    const nonce = { tag: 'companion_nonce', attrs: {}, content: keys.nonce }
    const revealed = await this.#sendMdQuery('set', nonce)
    if (revealed.kind !== 'done') return this.#end('the network did not take the nonce')
    this.#reportStep(keys.computeConfirmation(phone))
    const { creds } = this.#deps.sock.authState
    const content = keys.encryptRequest(phone, {
      noiseKey: creds.noiseKey.public,
      identityKey: creds.signedIdentityKey.public,
      secret: Buffer.from(creds.advSecretKey, 'base64'),
    })
    const request = { tag: 'encrypted_pairing_request', attrs: {}, content }
    const requested = await this.#sendMdQuery('set', request)
    if (requested.kind !== 'done') this.#end('the network did not take the request to be linked')
  }

  #sendMdQuery(
    type: 'get' | 'set',
    node: BinaryNode,
    deadline = AbortSignal.timeout(RESPONSE_MS),
  ): Promise<NetworkOutcome<BinaryNode>> {
    const query = { xmlns: 'md', type, content: [node] }
    return sendQuery(this.#deps.sock, query, AbortSignal.any([deadline, this.#ended.signal]))
  }

  #setTimeLimit(ms: number): void {
    const { clock } = this.#deps
    this.#until = clock.now() + ms
    this.#cancelTimeout()
    this.#cancelTimeout = clock.runAfter(ms, () => this.#end('the time for the passkey is over'))
  }

  #reportStep(confirmation: string): void {
    const { clock, isListening, onStep } = this.#deps
    const validMs = Math.max(0, this.#until - clock.now())
    if (this.#options && isListening()) onStep({ options: this.#options, confirmation, validMs })
  }

  #getStage(): Stage {
    return this.#stage
  }

  #end(message: string): void {
    if (this.#stage === 'idle' || this.#stage === 'linked' || !this.#deps.isListening()) return
    this.#deps.onEnd({ kind: 'lost', code: 0, message })
  }
}

function readText(node: BinaryNode, tag: string): string | undefined {
  const bytes = getBinaryNodeChildBuffer(node, tag)
  return bytes && Buffer.from(bytes).toString('utf8')
}

/** What ends a pairing for any other reason has its own meaning. */
const reclassifiedKinds: Closing['kind'][] = [
  ...(['unreachable', 'lost', 'restart', 'logged_out'] as const),
  ...(['pairing_expired', 'bad_session'] as const),
]

const isFromServer = ({ attrs }: BinaryNode): boolean => attrs.from?.replace(/^@/, '') === 's.whatsapp.net'
