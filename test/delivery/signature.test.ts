// Signatures as a receiver checks them: with the public library of the Standard Webhooks specification.

import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { keyBytes, signedHeaders } from '../../edge/delivery/signature.ts'

const body = new TextEncoder().encode('{"EventType":"messages","text":"olá \\u2028"}')
const id = 'a6b1b4b0-6f0f-4b52-9f5e-0a4a1ed0b7aa'
const base64 = (bytes: number) => Buffer.alloc(bytes, 0xa5).toString('base64')

const accepts = (secret: string, headers: Record<string, string>) =>
  new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' }).verify(
    Buffer.from(body).toString(),
    headers,
  )

test('a whsec_ secret signs so that the library accepts it', async () => {
  const secret = `whsec_${base64(32)}`
  const headers = await signedHeaders(id, Date.now(), body, [secret])
  expect(accepts(secret, headers)).toMatchObject({ EventType: 'messages' })
})

test('any other secret is used as its own ASCII', async () => {
  const headers = await signedHeaders(id, Date.now(), body, ['plain-secret'])
  expect(accepts('plain-secret', headers)).toMatchObject({ EventType: 'messages' })
})

test('after a change both secrets are accepted, and a third is not', async () => {
  const [fresh, former] = [`whsec_${base64(24)}`, 'former-secret']
  const headers = await signedHeaders(id, Date.now(), body, [fresh, former])
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
  expect(() => accepts(fresh, headers)).not.toThrow()
  expect(() => accepts(former, headers)).not.toThrow()
  expect(() => accepts('another', headers)).toThrow()
})

test('without a secret there is no signature header, the other two are there', async () => {
  const headers = await signedHeaders(id, 1_700_000_000_999, body, [])
  expect(headers).toEqual({ 'webhook-id': id, 'webhook-timestamp': '1700000000' })
})

test('whsec_ with too few, too many or broken bytes is a plain secret', () => {
  for (const secret of [`whsec_${base64(23)}`, `whsec_${base64(65)}`, 'whsec_%%%', 'whsec_']) {
    expect(Buffer.from(keyBytes(secret)).toString()).toBe(secret)
  }
  expect(keyBytes(`whsec_${base64(64)}`)).toHaveLength(64)
})
