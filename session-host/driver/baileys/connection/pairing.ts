// Links a device on one socket: reports each QR with its lifetime, or requests one pairing code.

import type { WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import type { ConnectionEvents, ConnectOptions } from '../../driver.ts'

const FIRST_QR_MS = 60 * SECOND
const NEXT_QR_MS = 20 * SECOND

/** Answers a function that takes each QR of the network. */
export function adaptPairing(
  sock: WASocket,
  { phone, events }: Pick<ConnectOptions, 'phone'> & { events: Pick<ConnectionEvents, 'qr' | 'code'> },
  isListening: () => boolean,
): (qr: string) => void {
  let qrs = 0

  return (qr) => {
    qrs += 1
    if (phone === undefined) return events.qr(qr, qrs === 1 ? FIRST_QR_MS : NEXT_QR_MS)
    // The network accepts the request for a code only after it has sent a QR.
    if (qrs > 1) return
    sock.requestPairingCode(phone).then(
      (code) => isListening() && events.code(`${code.slice(0, 4)}-${code.slice(4)}`),
      (thrown) => sock.end(thrown),
    )
  }
}
