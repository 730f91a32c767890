// A token by which a receiver knows its sender: a JWT that is signed with a key of both (HS256).

import { encodeBase64Url } from '@msgnet/shared/random-tokens.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { webCryptography } from '../runtime/web-cryptography.ts'

const HEAD = { alg: 'HS256', typ: 'JWT' }

export async function createJwt(key: string, claims: object): Promise<string> {
  const parts = [HEAD, claims].map((part) => encodeBase64Url(encodeUtf8(JSON.stringify(part))))
  const signed = parts.join('.')
  const sign = await webCryptography.createSigner(encodeUtf8(key))
  const signature = Uint8Array.from(atob(await sign(encodeUtf8(signed))), (char) => char.charCodeAt(0))
  return `${signed}.${encodeBase64Url(signature)}`
}
