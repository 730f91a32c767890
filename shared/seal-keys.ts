// The keys that seal secrets: lists of `id:base64`, and one key for each purpose derived from them by HKDF.

export class SealError extends Error {}

export type Bytes = Uint8Array<ArrayBuffer>

/** All purposes of sealing, by the side that seals. Each purpose has its own key. */
export const purposes = [
  'edge/webhook-secret',
  'edge/webhook-headers',
  'edge/replay',
  'edge/late-outcome',
  'edge/proxy',
  'edge/pairing',
  'edge/instance-token',
  'edge/media-link',
  'edge/last-response',
  'edge/uploaded-file',
  'edge/client',
  'host/credential',
  'host/proxy',
  'host/network-log',
  'host/media',
  'host/scheduled-file',
] as const
export type Purpose = (typeof purposes)[number]

/** The sides of a backup: the part of each is signed with a key of its own (`msgnet/edge/backup`, `msgnet/host/backup`). */
export const sides = ['edge', 'host'] as const
export type Side = (typeof sides)[number]

export interface SealKey {
  id: string
  bytes: Bytes
}

const KEY_BYTES = 32
const PRINTABLE = /^[\x21-\x7e]{1,64}$/
export const isKeyId = (id: string): boolean => PRINTABLE.test(id)

export const isSealKeys = (list: string): boolean => {
  try {
    return parseSealKeys(list).length > 0
  } catch {
    return false
  }
}

export const SEAL_KEYS_EXPECTED = 'must be a comma-separated list of id:base64, each key 32 bytes'

/** Throws SealError if the list is empty or invalid. */
export function parseSealKeys(list: string): SealKey[] {
  return list.split(',').map((entry) => {
    const [, id = '', base64 = ''] = /^([^:]*):(.*)$/.exec(entry.trim()) ?? []
    const bytes = decodeBase64(base64)
    if (!isKeyId(id) || bytes.length !== KEY_BYTES)
      throw new SealError(`A list of seal keys ${SEAL_KEYS_EXPECTED}.`)
    return { id, bytes }
  })
}

/** HKDF with SHA-256 (RFC 5869): a key works for its `purpose` only, and does not reveal the key that it was derived from. */
export async function deriveKey(key: Bytes, purpose: Purpose | 'host' | `${Side}/backup`): Promise<Bytes> {
  const info = new TextEncoder().encode(`msgnet/${purpose}`)
  const material = await crypto.subtle.importKey('raw', key, 'HKDF', false, ['deriveBits'])
  const params = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return new Uint8Array(await crypto.subtle.deriveBits(params, material, KEY_BYTES * 8))
}

/**
 * The keys of a host: its own before those derived from SEAL_KEYS; each list may be empty. If two have the same id, the
 * first counts.
 */
export async function deriveHostSealKeys(hostKeys: string, sealKeys: string): Promise<string> {
  const derived = (sealKeys === '' ? [] : parseSealKeys(sealKeys)).map(async ({ id, bytes }) => ({
    id,
    bytes: await deriveKey(bytes, 'host'),
  }))
  const all = [...(hostKeys === '' ? [] : parseSealKeys(hostKeys)), ...(await Promise.all(derived))]
  const firsts = all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at)
  return firsts.map(({ id, bytes }) => `${id}:${btoa(String.fromCharCode(...bytes))}`).join(',')
}

function decodeBase64(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
