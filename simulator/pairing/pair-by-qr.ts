// Linking by QR code: reads the code, and checks it against the device that shows it.
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { acceptCandidate } from './accept-candidate.ts'
import { PairingRefused } from './pairing-refused.ts'

export type QrCode = { reference: string; noiseKey: Buffer; identity: Buffer; secret: Buffer }

/** Undefined if the text is not a linking code. */
export function parseQr(text: string): QrCode | undefined {
  const [reference, ...parts] = text.slice(text.indexOf('#') + 1).split(',')
  const [noiseKey, identity, secret] = parts.slice(0, 3).map((part) => Buffer.from(part, 'base64'))
  if (!reference || noiseKey?.length !== 32 || identity?.length !== 32 || secret?.length !== 32)
    return undefined
  return { reference, noiseKey, identity, secret }
}

/** Resolves to the device number, or to null while the device has to show a passkey. */
export async function pairByQr(network: Network, account: Account, code: QrCode): Promise<number | null> {
  const connection = network.references.findHolder(code.reference)
  if (connection?.owner.kind !== 'candidate') throw new PairingRefused('this code is not valid any more')
  const { candidate } = connection.owner
  const fits = candidate.noiseKey.equals(code.noiseKey) && candidate.identity.equals(code.identity)
  if (!fits) throw new PairingRefused('this code does not belong to the device that it refers to')
  return acceptCandidate(network, connection, account, code.secret)
}
