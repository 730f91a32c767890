// What the protocol log stores of a node, how it reads the library's lines, and that its ring and its settings have bounds.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@msgnet/session-host/config.ts'
import { isProtocolWord, readSentNode } from '@msgnet/session-host/driver/baileys/connection/protocol-log.ts'
import { createAnonymizer } from '@msgnet/session-host/network-log/anonymize-nodes.ts'
import { listSegments, openRing, readSegment } from '@msgnet/shared/node/network-log-files.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import { expect, test } from 'vitest'

const ANNA = '5511350000001'
const INSTANCE = '0b8f3c1e-6f0a-4e0e-9d64-111111111111'
const env = {
  EDGE_URL: 'http://127.0.0.1:8787',
  HOST_TOKEN: `mgh_${'a'.repeat(43)}`,
  NETWORK_ROOT_KEY: 'ab'.repeat(32),
  HOST_SEAL_KEYS: `h1:${Buffer.alloc(32).toString('base64')}`,
}

test('a number has one pseudonym per log, in each of its forms', () => {
  const [one, other] = [createAnonymizer(isProtocolWord), createAnonymizer(isProtocolWord)]
  const node = {
    tag: 'message',
    attrs: { from: `${ANNA}:3@s.whatsapp.net`, participant: `${ANNA}@s.whatsapp.net`, phone: ANNA },
  }
  const { from = '', participant = '', phone = '' } = one(node).attrs
  expect(from).toMatch(/^999\d{10}:3@s\.whatsapp\.net$/)
  expect([from.replace(':3', ''), `${phone}@s.whatsapp.net`]).toEqual([participant, participant])
  expect(one(node).attrs.from).toBe(from)
  expect(other(node).attrs.from).not.toBe(from)
  const group = { tag: 'group', attrs: { id: '120363041234567890', jid: '120363041234567890@g.us' } }
  const { id = '', jid = '' } = one(group).attrs
  expect([jid, id.startsWith('120363'), id.includes('041234567890')]).toEqual([`${id}@g.us`, true, false])
})

test('the words of an error stay, and the people in it are replaced', () => {
  const harmless = createAnonymizer(isProtocolWord)
  const failure = { reason: '499', message: 'an-unheard-word', location: 'xyz', t: '1795427764', who: ANNA }
  expect(harmless({ tag: 'failure', attrs: failure }).attrs).toMatchObject({
    reason: '499',
    message: 'an-unheard-word',
    location: 'xyz',
    t: '1795427764',
    who: expect.stringMatching(/^999/),
  })
  const text = {
    tag: 'status',
    attrs: { note: 'gone fishing with Ben', hash: 'Zm9vYmFyYmF6' },
    content: 'gone',
  }
  expect(harmless(text)).toEqual({
    tag: 'status',
    content: { text: 4 },
    attrs: { note: '(text 21)', hash: '(text 12)' },
  })
})

test.each([
  ['NETWORK_LOG', 'yes'],
  ['NETWORK_LOG', 'shop'],
  ['CANARY', 'on'],
  ['CANARY', INSTANCE],
  ['CANARY', `${INSTANCE},${INSTANCE}`],
  ['CANARY_SECONDS', '0'],
])('a wrong %s (%s) is refused at the start', (name, value) => {
  expect(() => readConfig({ ...env, [name]: value })).toThrow(name)
})

test('the log and the canary are configured by instance ids', () => {
  const other = crypto.randomUUID()
  const { networkLog, canary } = readConfig({
    ...env,
    NETWORK_LOG: INSTANCE,
    CANARY: `${INSTANCE}, ${other}`,
  })
  expect([networkLog, canary]).toEqual([[INSTANCE], { instances: [INSTANCE, other], everyMs: 900_000 }])
  expect(readConfig(env)).not.toHaveProperty('networkLog')
  expect(readConfig(env)).not.toHaveProperty('canary')
})

test('a list that is too long is cut and counts what is missing', () => {
  const content = Array.from({ length: 5000 }, () => ({ tag: 'group', attrs: { id: '120363000000000001' } }))
  const { content: stored, more = 0 } = createAnonymizer(isProtocolWord)({
    tag: 'groups',
    attrs: {},
    content,
  })
  expect(Array.isArray(stored) && stored.length + more).toBe(5000)
  expect(more).toBeGreaterThan(3000)
})

test('an unreadable line of the library is logged as its length', () => {
  expect(readSentNode('nothing')).toEqual({ tag: 'unreadable', attrs: {}, content: { text: 7 } })
  expect(readSentNode("<iq id='1' type='get'>\n\t\t<ping />\n</iq>")).toEqual({
    tag: 'iq',
    attrs: { id: '1', type: 'get' },
    content: [{ tag: 'ping', attrs: {} }],
  })
})

test('the ring deletes its oldest segments and never exceeds its size', async () => {
  const sealer = await createSealer(env.HOST_SEAL_KEYS, 'host/network-log')
  const ringFolder = mkdtempSync(join(tmpdir(), 'ring-'))
  const size = { bytes: 20_000, segmentBytes: 4000 }
  const ring = openRing(ringFolder, sealer, size)
  for (let at = 0; at < 60; at += 1) await ring.appendLines([JSON.stringify({ at, filler: 'x'.repeat(900) })])
  const segments = await listSegments(ringFolder)
  const bytes = segments.reduce((sum, file) => sum + statSync(file).size, 0)
  expect([bytes <= size.bytes, segments.length >= 3]).toEqual([true, true])
  const last = await readSegment(segments.at(-1) ?? '', async () => sealer)
  expect(last.at(-1)).toMatchObject({ at: 59 })
  rmSync(ringFolder, { recursive: true })
})
