// Links a device on one socket: reports each QR with its lifetime, or requests one pairing code.

import { randomBytes } from 'node:crypto'
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
import { SECOND } from '../../../../shared/clock.ts'
import type { Cancel, Clock } from '../../../clock.ts'
import type { Answer, Closing, ConnectOptions } from '../../driver.ts'
import { ask } from './ask.ts'
import { type DeviceLabel, nameForCode, platformId } from './device-label.ts'

const FIRST_QR_MS = 60 * SECOND
const NEXT_QR_MS = 20 * SECOND
const CODE_WITHIN_MS = 10 * SECOND

export interface PairingCodes {
  /** Takes the first QR, which the library makes. */
  show(qr: string): void
  /** No code follows any more. */
  stop(): void
}

interface Deps {
  sock: WASocket
  options: ConnectOptions
  device: DeviceLabel
  clock: Clock
  isListening(): boolean
  /** Called when the codes are used up, or the network gives none. */
  onEnd(closing: Closing): void
}

export function adaptPairing({ sock, options, device, clock, isListening, onEnd }: Deps): PairingCodes {
  const { phone, events } = options
  /** One for each code: the QRs differ in nothing else. */
  let references: string[] = []
  let cancelNext: Cancel = () => undefined

  sock.ws.on('CB:iq,type:set,pair-device', (iq: BinaryNode) => {
    const nodes = getBinaryNodeChildren(getBinaryNodeChild(iq, 'pair-device'), 'ref')
    references = nodes.map(({ content }) => Buffer.from(content as Uint8Array).toString())
  })

  function showQr(qr: string, validMs: number): void {
    if (phone === undefined) events.qr(qr, validMs)
    cancelNext = clock.after(validMs, () => {
      const [shown, next] = references
      references = references.slice(1)
      if (shown && next)
        showQr(
          qr.replace(shown, () => next),
          NEXT_QR_MS,
        )
      else onEnd({ kind: 'pairing_expired', code: 408, message: 'the codes are used up' })
    })
  }

  async function showCode(phone: string): Promise<void> {
    const answer = await requestCode(sock, phone, device)
    if (!isListening()) return
    if (answer.kind === 'done') return events.code(`${answer.value.slice(0, 4)}-${answer.value.slice(4)}`)
    const { message = '' } = answer
    if (answer.kind === 'refused') return onEnd({ kind: 'pairing_refused', code: answer.code, message })
    onEnd({ kind: 'lost', code: 0, message })
  }

  return {
    show(qr) {
      showQr(qr, FIRST_QR_MS)
      if (phone === undefined) return
      // The network accepts the request for a code only after it has sent a QR.
      void showCode(phone)
    },
    stop: () => cancelNext(),
  }
}

const SALT = 32
const COUNTER = 16

/**
 * The library's own request answers with a code although the network has refused it. What follows once the code was typed on the
 * phone is the library's, which needs these fields of `creds`.
 */
async function requestCode(sock: WASocket, phone: string, device: DeviceLabel): Promise<Answer<string>> {
  const { creds } = sock.authState
  const code = bytesToCrockford(randomBytes(5))
  const [salt, counter] = [randomBytes(SALT), randomBytes(COUNTER)]
  const key = await derivePairingCodeKey(code, salt)
  const wrapped = Buffer.concat([
    ...[salt, counter],
    aesEncryptCTR(creds.pairingEphemeralKeyPair.public, key, counter),
  ])
  const jid = jidEncode(phone, 's.whatsapp.net')
  const part = (tag: string, content: string | Uint8Array) => ({ tag, attrs: {}, content })
  const hello = {
    tag: 'link_code_companion_reg',
    attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
    content: [
      part('link_code_pairing_wrapped_companion_ephemeral_pub', wrapped),
      part('companion_server_auth_key_pub', creds.noiseKey.public),
      part('companion_platform_id', platformId(device)),
      part('companion_platform_display', nameForCode(device)),
      part('link_code_pairing_nonce', '0'),
    ],
  }
  // Set before it is asked for, because the code may be typed before the answer was read.
  creds.pairingCode = code
  creds.me = { id: jid }
  const deadline = AbortSignal.timeout(CODE_WITHIN_MS)
  const answer = await ask(sock, { xmlns: 'md', type: 'set', content: [hello] }, deadline)
  return answer.kind === 'done' ? { kind: 'done', value: code } : answer
}
