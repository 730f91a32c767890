// Apart from reconnect.ts, because it formats what callers see while a device is being linked: QR, code, or passkey.

import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { formatDateTime, SECOND } from '@msgnet/shared/date-time.ts'
import { toDataURL } from 'qrcode'
import type { ConnectionEvents, PasskeyStep } from '../driver/driver.ts'

/** A code is valid as long as its socket: after the time of six QRs the pairing ends. */
const CODE_MS = 160 * SECOND

/** `phone`: of a pairing by code. */
export const createPairingEvents = (
  phone: string | undefined,
  show: (pairing: Pairing | Promise<Pairing>) => void,
): Pick<ConnectionEvents, 'onQr' | 'onCode' | 'onPasskey'> => ({
  onQr: (text, validMs) => show(buildQrPairing(text, validMs)),
  onCode: (code) => show({ method: 'code', code, expiresAt: formatExpiry(CODE_MS) }),
  onPasskey: (step) => show(buildPasskeyPairing(phone, step)),
})

const formatExpiry = (ms: number): string => formatDateTime(Date.now() + ms)

async function buildQrPairing(qr: string, validMs: number): Promise<Pairing> {
  const qrcode = await toDataURL(qr, { errorCorrectionLevel: 'L', margin: 2 })
  return { method: 'qr', qr, qrcode, expiresAt: formatExpiry(validMs) }
}

/** The QR or code has done its part, so it is empty. */
function buildPasskeyPairing(
  phone: string | undefined,
  { options, confirmation, validMs }: PasskeyStep,
): Pairing {
  const expiresAt = formatExpiry(validMs)
  const passkey = { options, confirmation, expiresAt }
  if (phone !== undefined) return { method: 'code', code: '', expiresAt, passkey }
  return { method: 'qr', qr: '', qrcode: '', expiresAt, passkey }
}
