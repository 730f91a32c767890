// `verifyWebhook` on the receiver's side: it takes what is signed, and says what is wrong with anything else.

import { verifyWebhook } from '@msgnet/client/client.ts'
import { deliveries } from '@msgnet/openapi/delivery-section.ts'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { SECRET } from '../device.ts'

const body = JSON.stringify(deliveries.connection?.examples.connected)
const signHeaders = (secret: string, at = new Date()) => ({
  'webhook-id': 'event-1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('event-1', at, body),
})
const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

describe('it accepts', () => {
  test('deliveries that the public library signs, as text or bytes, with any kind of headers', async () => {
    const envelope = await verifyWebhook(body, signHeaders(SECRET), SECRET)
    expect(envelope.EventType === 'connection' && envelope.instance.status).toBe('connected')
    const bytes = new TextEncoder().encode(body)
    await verifyWebhook(bytes, new Headers(signHeaders(SECRET)), SECRET)
    await verifyWebhook(bytes.buffer, signHeaders(SECRET), SECRET)
    const capitals = Object.entries(signHeaders(SECRET)).map(([name, value]) => [name.toUpperCase(), value])
    await verifyWebhook(body, Object.fromEntries(capitals), SECRET)
  })

  test('one valid signature of several, and one valid secret of several', async () => {
    const headers = signHeaders(SECRET)
    const both = `v1,AAAA ${signHeaders(other)['webhook-signature']} ${headers['webhook-signature']}`
    await verifyWebhook(body, { ...headers, 'webhook-signature': both }, SECRET)
    await verifyWebhook(body, headers, [other, SECRET])
  })
})

describe('it refuses with a reason', () => {
  test.each([
    ['another secret', body, signHeaders(other), 'no_signature_fits', /another secret/],
    ['a changed byte', body.replace('{', '{ '), signHeaders(SECRET), 'no_signature_fits', /byte for byte/],
    ['an old delivery', body, signHeaders(SECRET, new Date(Date.now() - 600_000)), 'too_old', /\d+ s old/],
    [
      'one from the future',
      body,
      signHeaders(SECRET, new Date(Date.now() + 600_000)),
      'too_new',
      /clock is slow/,
    ],
    [
      'a time that is none',
      body,
      { ...signHeaders(SECRET), 'webhook-timestamp': 'today' },
      'timestamp_unreadable',
      /webhook-timestamp/,
    ],
    ['no id', body, { ...signHeaders(SECRET), 'webhook-id': undefined }, 'header_missing', /no webhook-id/],
    [
      'no signature',
      body,
      { ...signHeaders(SECRET), 'webhook-signature': undefined },
      'header_missing',
      /no webhook-signature: was the webhook saved with a secret/,
    ],
    [
      'another version only',
      body,
      { ...signHeaders(SECRET), 'webhook-signature': 'v1a,AAAA' },
      'no_signature_fits',
      /version v1/,
    ],
  ])('%s', async (_, signedBody, headers, reason, message) => {
    await expect(verifyWebhook(signedBody, headers, SECRET)).rejects.toMatchObject({
      name: 'WebhookRefused',
      reason,
      message: expect.stringMatching(message),
    })
  })

  test('a truncated secret', async () => {
    const cut = SECRET.slice(0, 20)
    await expect(verifyWebhook(body, signHeaders(SECRET), cut)).rejects.toMatchObject({
      reason: 'no_signature_fits',
      message: expect.stringMatching(/whsec_ .* is it whole/),
    })
  })
})

describe('a wrong call throws a TypeError that names the argument', () => {
  const headers = signHeaders(SECRET)
  const wrongly = verifyWebhook as (...input: unknown[]) => Promise<unknown>

  test.each([
    ['a parsed body', [JSON.parse(body), headers, SECRET], /a parsed body: .*raw text or bytes/],
    ['no body', [undefined, headers, SECRET], /undefined: .*raw text or bytes/],
    ['no headers', [body, undefined, SECRET], /the headers of the delivery/],
    ['no secret', [body, headers, undefined], /the secret that the webhook was saved with/],
    ['no secrets', [body, headers, []], /the secret that the webhook was saved with/],
    ['an empty secret', [body, headers, ''], /is empty: is the variable set/],
    ['a secret with its line break', [body, headers, `${SECRET}\n`], /a line break/],
    ['a secret in bytes', [body, headers, [Buffer.from(SECRET)]], /is not a text/],
  ])('%s', async (_, signedBody, message) => {
    const failure = await wrongly(...signedBody).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TypeError)
    expect((failure as TypeError).message).toMatch(message)
  })
})
