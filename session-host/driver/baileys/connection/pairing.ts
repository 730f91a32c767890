// How a device is linked on one socket: each QR is shown for as long as it holds, or the phone is asked for one code.

import type { WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import type { ConnectionEvents, ConnectOptions } from '../../driver.ts'

const FIRST_QR_MS = 60 * SECOND
const NEXT_QR_MS = 20 * SECOND

/** Answers what takes each QR that the network hands out. */
export function adaptPairing(
  sock: WASocket,
  { phone, events }: Pick<ConnectOptions, 'phone'> & { events: Pick<ConnectionEvents, 'qr' | 'code'> },
  isListening: () => boolean,
): (qr: string) => void {
  let qrs = 0

  return (qr) => {
    qrs += 1
    if (phone === undefined) return events.qr(qr, qrs === 1 ? FIRST_QR_MS : NEXT_QR_MS)
    // The network takes the request for a code only once it has handed out a QR.
    if (qrs > 1) return
    sock.requestPairingCode(phone).then(
      (code) => isListening() && events.code(`${code.slice(0, 4)}-${code.slice(4)}`),
      (thrown) => sock.end(thrown),
    )
  }
}
