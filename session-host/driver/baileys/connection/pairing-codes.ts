// Links a device on one socket: reports each QR with its lifetime, or requests one pairing code.

import { randomBytes } from 'node:crypto'
import { SECOND } from '@msgnet/shared/date-time.ts'
import {
  aesEncryptCTR,
  type BinaryNode,
  bytesToCrockford,
  derivePairingCodeKey,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidEncode,
  type WASocket,
} from 'baileys'
import type { Cancel, Clock } from '../../../process/machine-clock.ts'
import type { Closing, ConnectOptions, NetworkOutcome } from '../../driver.ts'
import { type DeviceLabel, toPairingCodeName, toPlatformId } from './device-label.ts'
import { sendQuery } from './network-query.ts'

const FIRST_QR_MS = 60 * SECOND
const NEXT_QR_MS = 20 * SECOND
const CODE_TIMEOUT_MS = 10 * SECOND

interface Deps {
  sock: WASocket
  options: ConnectOptions
  device: DeviceLabel
  clock: Clock
  isListening(): boolean
  /** Called when the codes are used up, or the network sends none. */
  onEnd(closing: Closing): void
}

export class PairingCodes {
  readonly #deps: Deps
  /** One for each code: the QRs differ in nothing else. */
  #references: string[] = []
  #cancelNext: Cancel = () => undefined

  constructor(deps: Deps) {
    this.#deps = deps
    deps.sock.ws.on('CB:iq,type:set,pair-device', (iq: BinaryNode) => {
      const nodes = getBinaryNodeChildren(getBinaryNodeChild(iq, 'pair-device'), 'ref')
      this.#references = nodes.map(({ content }) => Buffer.from(content as Uint8Array).toString())
    })
  }

  /** Takes the first QR, which the library makes. */
  showCodes(qr: string): void {
    this.#showQr(qr, FIRST_QR_MS)
    const { phone } = this.#deps.options
    // The network accepts the request for a code only after it has sent a QR.
    if (phone !== undefined) void this.#showCode(phone)
  }

  /** No code follows any more. */
  stopCodes(): void {
    this.#cancelNext()
  }

  #showQr(qr: string, validMs: number): void {
    const { options, clock, onEnd } = this.#deps
    if (options.phone === undefined) options.events.onQr(qr, validMs)
    this.#cancelNext = clock.runAfter(validMs, () => {
      const [shown, next] = this.#references
      this.#references = this.#references.slice(1)
      if (shown && next)
        this.#showQr(
          qr.replace(shown, () => next),
          NEXT_QR_MS,
        )
      else onEnd({ kind: 'pairing_expired', code: 408, message: 'the codes are used up' })
    })
  }

  async #showCode(phone: string): Promise<void> {
    const { sock, options, device, isListening, onEnd } = this.#deps
    const outcome = await requestCode(sock, phone, device)
    if (!isListening()) return
    if (outcome.kind === 'done')
      return options.events.onCode(`${outcome.value.slice(0, 4)}-${outcome.value.slice(4)}`)
    const { message = '' } = outcome
    if (outcome.kind === 'refused') return onEnd({ kind: 'pairing_refused', code: outcome.code, message })
    onEnd({ kind: 'lost', code: 0, message })
  }
}

const SALT = 32
const COUNTER = 16

/**
 * The library's own request returns a code although the network has refused it. The steps after the code was typed on the
 * phone are the library's, which needs these fields of `creds`.
 */
async function requestCode(
  sock: WASocket,
  phone: string,
  device: DeviceLabel,
): Promise<NetworkOutcome<string>> {
  const { creds } = sock.authState
  const code = bytesToCrockford(randomBytes(5))
  const [salt, counter] = [randomBytes(SALT), randomBytes(COUNTER)]
  const key = await derivePairingCodeKey(code, salt)
  const wrapped = Buffer.concat([
    salt,
    counter,
    aesEncryptCTR(creds.pairingEphemeralKeyPair.public, key, counter),
  ])
  const jid = jidEncode(phone, 's.whatsapp.net')
  const buildNode = (tag: string, content: string | Uint8Array) => ({ tag, attrs: {}, content })
  const hello = {
    tag: 'link_code_companion_reg',
    attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
    content: [
      buildNode('link_code_pairing_wrapped_companion_ephemeral_pub', wrapped),
      buildNode('companion_server_auth_key_pub', creds.noiseKey.public),
      buildNode('companion_platform_id', toPlatformId(device)),
      buildNode('companion_platform_display', toPairingCodeName(device)),
      buildNode('link_code_pairing_nonce', '0'),
    ],
  }
  // Set before the request, because the code may be typed before the response was read.
  creds.pairingCode = code
  creds.me = { id: jid }
  const deadline = AbortSignal.timeout(CODE_TIMEOUT_MS)
  const outcome = await sendQuery(sock, { xmlns: 'md', type: 'set', content: [hello] }, deadline)
  return outcome.kind === 'done' ? { kind: 'done', value: code } : outcome
}
