// Signatures as a receiver checks them: with the public library of the Standard Webhooks specification.

import { createSignatureHeaders, toKeyBytes } from '@msgnet/edge/delivery/signature.ts'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'

const body = new TextEncoder().encode('{"EventType":"messages","text":"olá \\u2028"}')
const id = 'a6b1b4b0-6f0f-4b52-9f5e-0a4a1ed0b7aa'
const createSecret = (bytes: number) => Buffer.alloc(bytes, 0xa5).toString('base64')

const isAccepted = (secret: string, headers: Record<string, string>) =>
  new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' }).verify(
    Buffer.from(body).toString(),
    headers,
  )

test('a whsec_ secret signs so that the library accepts it', async () => {
  const secret = `whsec_${createSecret(32)}`
  const headers = await createSignatureHeaders(id, Date.now(), body, [secret])
  expect(isAccepted(secret, headers)).toMatchObject({ EventType: 'messages' })
})

test('any other secret is used as its own ASCII', async () => {
  const headers = await createSignatureHeaders(id, Date.now(), body, ['plain-secret'])
  expect(isAccepted('plain-secret', headers)).toMatchObject({ EventType: 'messages' })
})

test('after a change both secrets are accepted, and a third is not', async () => {
  const [fresh, previous] = [`whsec_${createSecret(24)}`, 'former-secret']
  const headers = await createSignatureHeaders(id, Date.now(), body, [fresh, previous])
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
  expect(() => isAccepted(fresh, headers)).not.toThrow()
  expect(() => isAccepted(previous, headers)).not.toThrow()
  expect(() => isAccepted('another', headers)).toThrow()
})

test('without a secret there is no signature header, the other two are there', async () => {
  const headers = await createSignatureHeaders(id, 1_700_000_000_999, body, [])
  expect(headers).toEqual({ 'webhook-id': id, 'webhook-timestamp': '1700000000' })
})

test('whsec_ with too few, too many or broken bytes is a plain secret', () => {
  for (const secret of [`whsec_${createSecret(23)}`, `whsec_${createSecret(65)}`, 'whsec_%%%', 'whsec_']) {
    expect(Buffer.from(toKeyBytes(secret)).toString()).toBe(secret)
  }
  expect(toKeyBytes(`whsec_${createSecret(64)}`)).toHaveLength(64)
})
