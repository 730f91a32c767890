// The global webhook of an environment that nothing checked before the edge read it, as on Cloudflare.

import { findServerWebhook } from '@msgnet/edge/store/server-webhook-queries.ts'
import { expect, test } from 'vitest'
import { openEdgeFile } from './edge-file.ts'

type Bootstrap = typeof import('@msgnet/edge/delivery/bootstrap-webhook.ts')

let starts = 0
/** As another process has it: the module does its work once. */
const loadAnew = (): Promise<Bootstrap> =>
  import(`${import.meta.resolve('@msgnet/edge/delivery/bootstrap-webhook.ts')}?start=${++starts}`)

test('one that is malformed is no wish to have none: the one before it stays', async () => {
  const { store } = await openEdgeFile()
  const startEdge = async (url: string) => {
    const { bootstrapServerWebhook } = await loadAnew()
    const env = { GLOBAL_WEBHOOK_URL: url } as Parameters<typeof bootstrapServerWebhook>[0]
    await bootstrapServerWebhook(env, store)
    return findServerWebhook(store)
  }
  const saved = await startEdge('https://hooks.example.com/events')
  expect(saved).toMatchObject({ url: 'https://hooks.example.com/events', registered: true })
  expect(await startEdge('https//hooks.example.com/events')).toEqual(saved)
  expect(await startEdge('')).toMatchObject({ registered: false })
})
