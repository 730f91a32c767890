// What callers see while a device is being linked: the QR, the code, or the passkey that the account demands.

import { toDataURL } from 'qrcode'
import { dateTime, SECOND } from '../../shared/clock.ts'
import type { Pairing } from '../../shared/contract/instance.ts'
import type { ConnectionEvents, PasskeyStep } from '../driver/driver.ts'

/** A code is valid as long as its socket: after the time of six QRs the pairing ends. */
const CODE_MS = 160 * SECOND

/** `phone`: of a pairing by code. */
export const reportPairing = (
  phone: string | undefined,
  show: (pairing: Pairing | Promise<Pairing>) => void,
): Pick<ConnectionEvents, 'qr' | 'code' | 'passkey'> => ({
  qr: (text, validMs) => show(qrPairing(text, validMs)),
  code: (code) => show({ method: 'code', code, expiresAt: endsIn(CODE_MS) }),
  passkey: (step) => show(passkeyPairing(phone, step)),
})

const endsIn = (ms: number): string => dateTime(Date.now() + ms)

async function qrPairing(qr: string, validMs: number): Promise<Pairing> {
  const qrcode = await toDataURL(qr, { errorCorrectionLevel: 'L', margin: 2 })
  return { method: 'qr', qr, qrcode, expiresAt: endsIn(validMs) }
}

/** The QR or code has done its part, so it is empty. */
function passkeyPairing(phone: string | undefined, { options, confirmation, validMs }: PasskeyStep): Pairing {
  const expiresAt = endsIn(validMs)
  const passkey = { options, confirmation, expiresAt }
  if (phone !== undefined) return { method: 'code', code: '', expiresAt, passkey }
  return { method: 'qr', qr: '', qrcode: '', expiresAt, passkey }
}
