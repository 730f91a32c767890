// Links a device on one socket: reports each QR with its lifetime, or requests one pairing code.

import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, type WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import type { Cancel, Clock } from '../../../clock.ts'
import type { Closing, ConnectOptions } from '../../driver.ts'

const FIRST_QR_MS = 60 * SECOND
const NEXT_QR_MS = 20 * SECOND

export interface PairingCodes {
  /** Takes the first QR, which the library makes. */
  show(qr: string): void
  /** No code follows any more. */
  stop(): void
}

interface Deps {
  sock: WASocket
  options: ConnectOptions
  clock: Clock
  isListening(): boolean
  /** Called when the codes are used up. */
  onEnd(closing: Closing): void
}

export function adaptPairing({ sock, options, clock, isListening, onEnd }: Deps): PairingCodes {
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

  return {
    show(qr) {
      showQr(qr, FIRST_QR_MS)
      if (phone === undefined) return
      // The network accepts the request for a code only after it has sent a QR.
      sock.requestPairingCode(phone).then(
        (code) => isListening() && events.code(`${code.slice(0, 4)}-${code.slice(4)}`),
        (thrown) => sock.end(thrown),
      )
    },
    stop: () => cancelNext(),
  }
}
