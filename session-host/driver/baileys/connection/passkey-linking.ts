// Links a device whose account demands a passkey: reports what has to be signed, sends the assertion, and agrees with the phone on a code.

import { type BinaryNode, getBinaryNodeChildBuffer, type proto, type WASocket } from 'baileys'
import type { PasskeyAssertion, PasskeyOptions } from '../../../../shared/contract/passkey-requests.ts'
import { MINUTE, SECOND } from '../../../../shared/date-time.ts'
import type { Log } from '../../../host-log.ts'
import type { Cancel, Clock } from '../../../machine-clock.ts'
import type { Closing } from '../../driver.ts'
import type { PasskeyStep, SendAssertion } from '../../passkey-step.ts'
import { readResponse, sendQuery } from './network-query.ts'
import { createPasskeyKeys, deriveHandoffKey, type PasskeyKeys, readPhoneKey } from './passkey-keys.ts'
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

/** `idle`: no passkey is asked for. `sent`: the assertion is accepted, and the phone's turn has come. */
type Stage = 'idle' | 'asked' | 'sending' | 'sent' | 'linked'

export interface PasskeyLinking {
  send: SendAssertion
  /** The same closing, or what it means while the network waits for a passkey or the owner. */
  classifyClosing(closing: Closing): Closing
  stop(): void
}

interface Deps {
  sock: WASocket
  deviceType: proto.DeviceProps.PlatformType
  clock: Clock
  log: Log
  isListening(): boolean
  /** The network asks for a passkey: the codes are of no use any more. */
  onRequested(): void
  onStep(step: PasskeyStep): void
  /** The pairing cannot go on. */
  onEnd(closing: Closing): void
}

export function adaptPasskey(deps: Deps): PasskeyLinking {
  const { sock, deviceType, clock, log } = deps
  const { creds } = sock.authState
  let stage: Stage = 'idle'
  let options: PasskeyOptions | undefined
  let handoff: { key: Buffer; until: number } | undefined
  let keys: PasskeyKeys | undefined
  let until = 0
  let cancelEnd: Cancel = () => undefined
  /** The library leaves requests unanswered when its socket ends. */
  const ended = new AbortController()

  const sendMdQuery = (type: 'get' | 'set', node: BinaryNode, deadline = AbortSignal.timeout(RESPONSE_MS)) =>
    sendQuery(sock, { xmlns: 'md', type, content: [node] }, AbortSignal.any([deadline, ended.signal]))

  const end = (why: string) => {
    if (stage === 'idle' || stage === 'linked' || !deps.isListening()) return
    deps.onEnd({ kind: 'lost', code: 0, message: why })
  }
  const setTimeLimit = (ms: number) => {
    until = clock.now() + ms
    cancelEnd()
    cancelEnd = clock.runAfter(ms, () => end('the time for the passkey is over'))
  }
  const reportStep = (confirmation: string) => {
    const validMs = Math.max(0, until - clock.now())
    if (options && deps.isListening()) deps.onStep({ options, confirmation, validMs })
  }
  const startAssertion = (asked: PasskeyOptions) => {
    stage = 'asked'
    options = asked
    setTimeLimit(asked.timeout && asked.timeout > 0 ? Math.min(asked.timeout, CHALLENGE_MS) : CHALLENGE_MS)
    reportStep('')
  }
  async function requestOptions(): Promise<PasskeyOptions | undefined> {
    const node = { tag: 'passkey_request_options', attrs: {} }
    const outcome = readResponse(await sendMdQuery('get', node), readOptions)
    if (outcome.kind === 'done') return outcome.value
    log.warn({ answer: outcome }, 'the network did not say what a passkey has to sign')
    return undefined
  }

  /** The phone learns a new secret later, under the key that both agree on then; the known one only proves who asks. */
  function replaceSecret(): void {
    const secret = Buffer.from(creds.advSecretKey, 'base64')
    handoff = { key: deriveHandoffKey(secret), until: clock.now() + HANDOFF_MS }
    creds.advSecretKey = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')
  }

  async function onRequest(node: BinaryNode): Promise<void> {
    if (!deps.isListening() || !isFromServer(node) || creds.account) return
    if (stage === 'idle') {
      stage = 'asked'
      log.info('the network asks for a passkey before it links this device')
      deps.onRequested()
      replaceSecret()
    }
    if (stage !== 'asked') return
    const asked = readOptions(node) ?? (await requestOptions())
    if (asked) startAssertion(asked)
    else end('it is not known what the passkey has to sign')
  }

  async function onPhoneKey(node: BinaryNode): Promise<void> {
    const current = keys
    if (!current || !isFromServer(node) || !['asked', 'sending', 'sent'].includes(stage)) return
    keys = undefined
    const bytes = getBinaryNodeChildBuffer(node, 'primary_ephemeral_identity')
    const phone = bytes && readPhoneKey(bytes)
    if (!phone) return end('the key of the phone was not understood')
    stage = 'sent'
    setTimeLimit(CONFIRM_MS)
    const nonceOutcome = await sendMdQuery('set', {
      tag: 'companion_nonce',
      attrs: {},
      content: current.nonce,
    })
    if (nonceOutcome.kind !== 'done') return end('the network did not take the nonce')
    reportStep(current.computeConfirmation(phone))
    const content = current.encryptRequest(phone, {
      noiseKey: creds.noiseKey.public,
      identityKey: creds.signedIdentityKey.public,
      secret: Buffer.from(creds.advSecretKey, 'base64'),
    })
    const asked = await sendMdQuery('set', { tag: 'encrypted_pairing_request', attrs: {}, content })
    if (asked.kind !== 'done') end('the network did not take the request to be linked')
  }

  async function sendAssertion(assertion: PasskeyAssertion, deadline: AbortSignal) {
    const reference = readResponse(
      await sendMdQuery('get', { tag: 'ref', attrs: {} }, deadline),
      (response) => readText(response, 'ref'),
    )
    if (reference.kind !== 'done') return reference
    keys = createPasskeyKeys(reference.value, deviceType)
    const proof = handoff && clock.now() < handoff.until ? keys.computeProof(handoff.key) : undefined
    return sendMdQuery('set', buildAssertionNode(assertion, keys.prologue, proof), deadline)
  }

  const send: SendAssertion = async (assertion, deadline) => {
    if (stage !== 'asked' || !options) return { kind: 'done', value: 'not_asked' }
    if (readChallenge(assertion) !== options.challenge) return { kind: 'done', value: 'other_challenge' }
    stage = 'sending'
    const outcome = await sendAssertion(assertion, deadline)
    // The phone's key may have come before we could read on here.
    if (stage !== 'sending') return outcome.kind === 'done' ? { kind: 'done', value: 'sent' } : outcome
    if (outcome.kind === 'done') {
      stage = 'sent'
      setTimeLimit(CONFIRM_MS)
      reportStep('')
      return { kind: 'done', value: 'sent' }
    }
    stage = 'asked'
    // A challenge is good for one assertion.
    if (outcome.kind === 'refused') options = (await requestOptions()) ?? options
    reportStep('')
    return outcome
  }

  const handleNode = (work: (node: BinaryNode) => Promise<void>) => (node: BinaryNode) =>
    void work(node).catch((error) => {
      log.warn({ err: error }, 'the step of the passkey failed')
      end('the step of the passkey failed')
    })
  sock.ws.on('CB:notification,type:passkey_prologue_request', handleNode(onRequest))
  sock.ws.on('CB:notification,type:crsc_continuation', handleNode(onPhoneKey))
  sock.ws.on('CB:iq,,pair-success', () => {
    stage = 'linked'
    cancelEnd()
  })

  return {
    send,
    classifyClosing(closing) {
      if (stage === 'idle' || stage === 'linked' || !reclassifiedKinds.includes(closing.kind)) return closing
      return { ...closing, kind: stage === 'sent' ? 'pairing_expired' : 'passkey_required' }
    },
    stop() {
      cancelEnd()
      ended.abort()
    },
  }
}

function readText(node: BinaryNode, tag: string): string | undefined {
  const bytes = getBinaryNodeChildBuffer(node, tag)
  return bytes && Buffer.from(bytes).toString('utf8')
}

/** What ends a pairing for any other reason keeps its own meaning. */
const reclassifiedKinds: Closing['kind'][] = [
  ...(['unreachable', 'lost', 'restart', 'logged_out'] as const),
  ...(['pairing_expired', 'bad_session'] as const),
]

const isFromServer = ({ attrs }: BinaryNode): boolean => attrs.from?.replace(/^@/, '') === 's.whatsapp.net'
