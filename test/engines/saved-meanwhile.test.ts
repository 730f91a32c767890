// Two saves of an instance's first webhook at once, on a real file of the database.

import { randomBytes } from 'node:crypto'
import { openHeaders, sealHeaders } from '@msgnet/edge/delivery/webhook-headers.ts'
import { planSecretChange } from '@msgnet/edge/delivery/webhook-secrets.ts'
import { webCryptography } from '@msgnet/edge/runtime/web-cryptography.ts'
import type { Env } from '@msgnet/edge/settings/env.ts'
import { findFirstWebhook, saveFirstWebhook } from '@msgnet/edge/store/webhook-queries.ts'
import { expect, test } from 'vitest'
import { SECRET } from '../device.ts'
import { addInstances, openEdgeFile } from './edge-file.ts'

const INSTANCE = 'id-00001'
const HEADERS = { authorization: 'Bearer of-the-receiver' }
const env = {
  SEAL_KEYS: `one:${randomBytes(32).toString('base64')}`,
  runtime: { cryptography: webCryptography },
} as unknown as Env

test('a save that names the present secret and headers has both, though one at another origin came between', async () => {
  const { store, database } = await openEdgeFile()
  await database.write([addInstances(1)])
  const events = { events: ['messages' as const], ignoredEvents: [], excludeMessages: null, enabled: true }
  const [ours, theirs] = ['https://ours.example/hook', 'https://theirs.example/hook']
  const read = async () => {
    const found = await findFirstWebhook(store, INSTANCE)
    if (!found) throw new Error('there is no webhook')
    return found
  }
  const plan = (current: Awaited<ReturnType<typeof read>>['secret']) =>
    planSecretChange(env, INSTANCE, current, SECRET)
  const sentHeaders = await sealHeaders(env, INSTANCE, HEADERS)
  const first = { ...events, url: ours, ...sentHeaders }
  await saveFirstWebhook(store, INSTANCE, first, await plan(null), [])
  const change = await plan((await read()).secret)
  expect(change.kind).toBe('keep')

  await saveFirstWebhook(store, INSTANCE, { ...events, url: theirs }, { kind: 'keep' }, [])
  expect(await read()).toMatchObject({ url: theirs, secret: null, headers: null, headerNames: null })

  await saveFirstWebhook(store, INSTANCE, { ...events, url: ours, sentHeaders }, change, [])
  const { url, secret, headers, headerNames } = await read()
  expect([url, headerNames, (await plan(secret)).kind]).toEqual([ours, ['authorization'], 'keep'])
  expect(await openHeaders(env, INSTANCE, headers)).toEqual(HEADERS)
})
