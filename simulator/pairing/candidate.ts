// Reads the data that a device sends about itself to be linked.
import { createHash } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { asBuffer } from '../codec/stanza.ts'
import { addKeyType, KEY_TYPE, verifySignature } from '../crypto/curve.ts'
import type { Candidate } from '../network/connections.ts'

/** Undefined when a part is missing, has the wrong size, or is not signed by the identity. */
export function readCandidate(payload: proto.ClientPayload, noiseKey: Buffer): Candidate | undefined {
  const data = payload.devicePairingData
  if (!data || !matchesBuildHash(payload)) return undefined
  const identity = checkSize(data.eIdent, 32)
  const registration = checkSize(data.eRegid, 4)
  const signedId = checkSize(data.eSkeyId, 3)
  const signedKey = checkSize(data.eSkeyVal, 32)
  const signature = checkSize(data.eSkeySig, 64)
  if (!identity || !registration || !signedId || !signedKey || !signature) return undefined
  if (!checkSize(data.eKeytype, 1)?.equals(KEY_TYPE)) return undefined
  if (!verifySignature(identity, addKeyType(signedKey), signature)) return undefined
  return {
    noiseKey,
    identity,
    registration: registration.readUInt32BE(),
    signedPreKey: { id: signedId.readUIntBE(0, 3), public: signedKey, signature },
    wantsFullHistory: readDeviceProps(data.deviceProps)?.requireFullSync === true,
  }
}

function checkSize(bytes: Uint8Array | null | undefined, length: number): Buffer | undefined {
  return bytes?.length === length ? asBuffer(bytes) : undefined
}

/** The build hash is the digest of the version that the same payload announces. */
function matchesBuildHash({ userAgent, devicePairingData }: proto.ClientPayload): boolean {
  const version = userAgent?.appVersion
  const announced = [version?.primary, version?.secondary, version?.tertiary].join('.')
  const hash = createHash('md5').update(announced).digest()
  return hash.equals(devicePairingData?.buildHash ?? Buffer.alloc(0))
}

const readDeviceProps = (bytes: Uint8Array | null | undefined): proto.IDeviceProps | undefined =>
  bytes?.length ? proto.DeviceProps.decode(bytes) : undefined
