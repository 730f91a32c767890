// Links a device whose account demands a passkey: reports what has to be signed, sends the assertion, and agrees with the phone on a code.

import { type BinaryNode, getBinaryNodeChildBuffer, type proto, type WASocket } from 'baileys'
import { MINUTE, SECOND } from '../../../../shared/clock.ts'
import type { PasskeyAssertion, PasskeyOptions } from '../../../../shared/contract/passkey.ts'
import type { Cancel, Clock } from '../../../clock.ts'
import type { Log } from '../../../log.ts'
import type { Closing } from '../../driver.ts'
import type { PasskeyStep, SendAssertion } from '../../passkey.ts'
import { ask, read } from './ask.ts'
import { handoffKey, makePasskeyKeys, type PasskeyKeys, readPhoneKey } from './passkey-keys.ts'
import { assertionNode, challengeIn, readOptions } from './passkey-nodes.ts'

/** For a challenge without a time of its own. */
const CHALLENGE_MS = 10 * MINUTE
/** For the owner, who compares the code. */
const CONFIRM_MS = 5 * MINUTE
/** For the network's answer to a request of ours that no caller waits for. */
const ANSWER_MS = 15 * SECOND
/** The phone believes a proof of the QR code or pairing code no longer than this. */
const HANDOFF_MS = 5 * MINUTE
const SECRET_BYTES = 32

/** `idle`: no passkey is asked for. `sent`: the assertion is accepted, and the phone's turn has come. */
type Stage = 'idle' | 'asked' | 'sending' | 'sent' | 'linked'

export interface PasskeyLinking {
  send: SendAssertion
  /** The same closing, or what it means while the network waits for a passkey or the owner. */
  judge(closing: Closing): Closing
  stop(): void
}

interface Deps {
  sock: WASocket
  deviceType: proto.DeviceProps.PlatformType
  clock: Clock
  log: Log
  isListening(): boolean
  /** The network asks for a passkey: the codes are of no use any more. */
  onAsked(): void
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

  const md = (type: 'get' | 'set', node: BinaryNode, deadline = AbortSignal.timeout(ANSWER_MS)) =>
    ask(sock, { xmlns: 'md', type, content: [node] }, AbortSignal.any([deadline, ended.signal]))

  const end = (why: string) => {
    if (stage === 'idle' || stage === 'linked' || !deps.isListening()) return
    deps.onEnd({ kind: 'lost', code: 0, message: why })
  }
  const allow = (ms: number) => {
    until = clock.now() + ms
    cancelEnd()
    cancelEnd = clock.after(ms, () => end('the time for the passkey is over'))
  }
  const show = (confirmation: string) => {
    const validMs = Math.max(0, until - clock.now())
    if (options && deps.isListening()) deps.onStep({ options, confirmation, validMs })
  }
  const start = (asked: PasskeyOptions) => {
    stage = 'asked'
    options = asked
    allow(asked.timeout && asked.timeout > 0 ? Math.min(asked.timeout, CHALLENGE_MS) : CHALLENGE_MS)
    show('')
  }
  async function askForOptions(): Promise<PasskeyOptions | undefined> {
    const node = { tag: 'passkey_request_options', attrs: {} }
    const answer = read(await md('get', node), readOptions)
    if (answer.kind === 'done') return answer.value
    log.warn({ answer }, 'the network did not say what a passkey has to sign')
    return undefined
  }

  /** The phone learns a new secret later, under the key that both agree on then; the known one only proves who asks. */
  function replaceSecret(): void {
    const secret = Buffer.from(creds.advSecretKey, 'base64')
    handoff = { key: handoffKey(secret), until: clock.now() + HANDOFF_MS }
    creds.advSecretKey = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')
  }

  async function onRequest(node: BinaryNode): Promise<void> {
    if (!deps.isListening() || !isFromServer(node) || creds.account) return
    if (stage === 'idle') {
      stage = 'asked'
      log.info('the network asks for a passkey before it links this device')
      deps.onAsked()
      replaceSecret()
    }
    if (stage !== 'asked') return
    const asked = readOptions(node) ?? (await askForOptions())
    if (asked) start(asked)
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
    allow(CONFIRM_MS)
    const revealed = await md('set', { tag: 'companion_nonce', attrs: {}, content: current.nonce })
    if (revealed.kind !== 'done') return end('the network did not take the nonce')
    show(current.confirmation(phone))
    const content = current.request(phone, {
      noiseKey: creds.noiseKey.public,
      identityKey: creds.signedIdentityKey.public,
      secret: Buffer.from(creds.advSecretKey, 'base64'),
    })
    const asked = await md('set', { tag: 'encrypted_pairing_request', attrs: {}, content })
    if (asked.kind !== 'done') end('the network did not take the request to be linked')
  }

  async function sendAssertion(assertion: PasskeyAssertion, deadline: AbortSignal) {
    const reference = read(await md('get', { tag: 'ref', attrs: {} }, deadline), (answer) =>
      textIn(answer, 'ref'),
    )
    if (reference.kind !== 'done') return reference
    keys = makePasskeyKeys(reference.value, deviceType)
    const proof = handoff && clock.now() < handoff.until ? keys.proof(handoff.key) : undefined
    return md('set', assertionNode(assertion, keys.prologue, proof), deadline)
  }

  const send: SendAssertion = async (assertion, deadline) => {
    if (stage !== 'asked' || !options) return { kind: 'done', value: 'not_asked' }
    if (challengeIn(assertion) !== options.challenge) return { kind: 'done', value: 'other_challenge' }
    stage = 'sending'
    const answer = await sendAssertion(assertion, deadline)
    // The phone's key may have come before we could read on here.
    if (stage !== 'sending') return answer.kind === 'done' ? { kind: 'done', value: 'sent' } : answer
    if (answer.kind === 'done') {
      stage = 'sent'
      allow(CONFIRM_MS)
      show('')
      return { kind: 'done', value: 'sent' }
    }
    stage = 'asked'
    // A challenge is good for one assertion.
    if (answer.kind === 'refused') options = (await askForOptions()) ?? options
    show('')
    return answer
  }

  const guard = (work: (node: BinaryNode) => Promise<void>) => (node: BinaryNode) =>
    void work(node).catch((thrown) => {
      log.warn({ err: thrown }, 'the step of the passkey failed')
      end('the step of the passkey failed')
    })
  sock.ws.on('CB:notification,type:passkey_prologue_request', guard(onRequest))
  sock.ws.on('CB:notification,type:crsc_continuation', guard(onPhoneKey))
  sock.ws.on('CB:iq,,pair-success', () => {
    stage = 'linked'
    cancelEnd()
  })

  return {
    send,
    judge(closing) {
      if (stage === 'idle' || stage === 'linked' || !judged.includes(closing.kind)) return closing
      return { ...closing, kind: stage === 'sent' ? 'pairing_expired' : 'passkey_required' }
    },
    stop() {
      cancelEnd()
      ended.abort()
    },
  }
}

function textIn(node: BinaryNode, tag: string): string | undefined {
  const bytes = getBinaryNodeChildBuffer(node, tag)
  return bytes && Buffer.from(bytes).toString('utf8')
}

/** What ends a pairing for any other reason keeps its own meaning. */
const judged: Closing['kind'][] = [
  ...(['unreachable', 'lost', 'restart', 'logged_out'] as const),
  ...(['pairing_expired', 'bad_session'] as const),
]

const isFromServer = ({ attrs }: BinaryNode): boolean => attrs.from?.replace(/^@/, '') === 's.whatsapp.net'
