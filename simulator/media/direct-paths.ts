// Direct paths: where a file is on the media hosts, with a signature in the query that has to come back whole.
import { timingSafeEqual } from 'node:crypto'
import { hmac } from '../crypto/ciphers.ts'

const PATH = /^\/v\/t62\.(\d{1,6})-24\/([\w-]{43})\.enc$/
const LASTS_S = 30 * 86_400

export type DirectPath = {
  token: string
  /** Which upload of the file it leads to. */
  upload: number
  /** Whether the query is the one that the network gave, and has not expired. */
  valid: boolean
}

export function signPath(key: Buffer, token: string, upload: number): string {
  const path = `/v/t62.${upload}-24/${token}.enc`
  const expires = Math.floor(Date.now() / 1000 + LASTS_S)
    .toString(16)
    .toUpperCase()
  return `${path}?ccb=11-4&oh=${signQuery(key, path, expires)}&oe=${expires}&_nc_sid=5e03e0`
}

/** Undefined for what was never a path of a file. Clients may add to the query; what the network put there must be there. */
export function parsePath(key: Buffer, directPath: string): DirectPath | undefined {
  if (!directPath.startsWith('/')) return undefined
  const { pathname, searchParams } = new URL(directPath, 'https://media.invalid')
  const [, upload, token] = PATH.exec(pathname) ?? []
  if (upload === undefined || token === undefined) return undefined
  const expires = searchParams.get('oe') ?? ''
  const shown = Buffer.from(searchParams.get('oh') ?? '')
  const right = Buffer.from(signQuery(key, pathname, expires))
  const whole = searchParams.get('ccb') === '11-4' && searchParams.get('_nc_sid') === '5e03e0'
  const signed = shown.length === right.length && timingSafeEqual(shown, right)
  return {
    token,
    upload: Number(upload),
    valid: whole && signed && Number.parseInt(expires, 16) > Date.now() / 1000,
  }
}

const signQuery = (key: Buffer, path: string, expires: string) =>
  `01_${hmac(key, Buffer.from(`${path} ${expires}`)).toString('base64url')}`
