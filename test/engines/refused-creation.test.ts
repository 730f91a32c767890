// An instance that a form of another API creates and that is refused on the way is deleted again, and its caller gets the refusal in any case.

import { requireAdminToken } from '@msgnet/edge/http/auth.ts'
import type { DialectContext } from '@msgnet/edge/http/call-contract.ts'
import { setLogWriter } from '@msgnet/edge/observability/edge-log.ts'
import { markInner } from '@msgnet/edge/request/inner-request.ts'
import type { EdgeEnv } from '@msgnet/edge/request/request-context.ts'
import { prepareCreated } from '@msgnet/edge/routes/creation-choices.ts'
import { webCryptography } from '@msgnet/edge/runtime/web-cryptography.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { addInstances, openEdgeFile } from './edge-file.ts'

async function refuseCreated(deletion: Response) {
  const { store, database } = await openEdgeFile()
  await database.write([addInstances(1)])
  const deleted: string[] = []
  const lines: string[] = []
  setLogWriter((line) => lines.push(line))
  onTestFinished(() => setLogWriter(console.log))
  const serveContract: DialectContext['serveContract'] = async ({ method, url }) => {
    deleted.push(`${method} ${new URL(url).pathname}`)
    return deletion
  }
  const app = new Hono<EdgeEnv>()
  app.onError((error) => new Response(error instanceof Fault ? error.fault : String(error)))
  app.post('/', async (c) => {
    c.set('store', store)
    c.set('actor', { kind: 'root', id: '', name: '' })
    return c.json(await prepareCreated(c, 'id-00001', () => Promise.reject(new Fault('invalid_number'))))
  })
  const context = { serveContract, waitUntil: () => undefined } as unknown as DialectContext
  const response = await app.request('/', { method: 'POST' }, {} as EdgeEnv['Bindings'], context as never)
  return { refusal: await response.text(), deleted, lines }
}

const DELETION = 'DELETE /v1/instances/id-00001'

test('the refusal is that of the work, and the instance is deleted', async () => {
  const done = Response.json({ deleted: true })
  expect(await refuseCreated(done)).toEqual({ refusal: 'invalid_number', deleted: [DELETION], lines: [] })
})

test('it is that of the work also where the deletion fails, which is logged', async () => {
  const failed = Response.json({ error: 'storage_unavailable', message: 'No storage.' }, { status: 502 })
  const { refusal, deleted, lines } = await refuseCreated(failed)
  expect({ refusal, deleted }).toEqual({ refusal: 'invalid_number', deleted: [DELETION] })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'error',
      msg: 'failed to undo refused creation',
      instance: 'id-00001',
      error: { message: 'Error: No storage.' },
    },
  ])
})

test('the deletion counts as no request of its own: a token that has none left must not keep the instance', async () => {
  const { database } = await openEdgeFile()
  const ADMIN_TOKEN = 'an-admin-token-of-this-test'
  const env = {
    ADMIN_TOKEN,
    REQUEST_RATE: '1',
    runtime: { openDatabase: () => database, cryptography: webCryptography },
  }
  const headers = { admintoken: ADMIN_TOKEN }
  const context = { waitUntil: () => undefined }
  const app = new Hono<EdgeEnv>()
  app.onError((error) => new Response(error instanceof Fault ? error.fault : String(error)))
  app.delete('/inner', requireAdminToken('admin'), (c) => c.text('deleted'))
  app.post('/outer', requireAdminToken('admin'), (c) => {
    const request = new Request(new URL('/inner', c.req.url), { method: 'DELETE', headers })
    markInner(request, { outer: c, body: undefined })
    return app.fetch(request, c.env, c.executionCtx)
  })
  const create = async () =>
    (await app.request('/outer', { method: 'POST', headers }, env as never, context as never)).text()
  expect(await create()).toBe('deleted')
  expect(await create()).toBe('quota_reached')
})
