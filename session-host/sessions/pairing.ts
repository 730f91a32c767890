// The QR or the code that callers see while a device is being linked.

import { toDataURL } from 'qrcode'
import { dateTime, SECOND } from '../../shared/clock.ts'
import type { Pairing } from '../../shared/contract/instance.ts'

/** A code is valid as long as its socket: after the time of six QRs the network ends the pairing. */
const CODE_MS = 160 * SECOND

export async function qrPairing(qr: string, validMs: number): Promise<Pairing> {
  const qrcode = await toDataURL(qr, { errorCorrectionLevel: 'L', margin: 2 })
  return { method: 'qr', qr, qrcode, expiresAt: dateTime(Date.now() + validMs) }
}

export const codePairing = (code: string): Pairing => ({
  method: 'code',
  code,
  expiresAt: dateTime(Date.now() + CODE_MS),
})
