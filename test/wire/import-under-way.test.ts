// What else may be asked of an instance while a credential arrives for it.
// @module-tag slow

import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import { importLines } from '../imported-account.ts'
import { openImport } from '../open-import.ts'
import { borrowStage } from '../scene.ts'
import type { SharedWorld } from '../world.ts'

const limit = { timeout: 3 * MINUTE }
const conflict = { status: 409, error: 'session_conflict' }

let world: SharedWorld

beforeAll(async () => {
  ;({ world } = await borrowStage())
})

async function startImport(): Promise<{ device: Device; open: ReturnType<typeof openImport> }> {
  const device = await createDevice(world)
  const open = openImport(world, device)
  await open.waitUntilRead()
  return { device, open }
}

test('connect, restart and a second import are refused, and the import goes on', limit, async () => {
  const { device, open } = await startImport()
  const { caller } = device
  const connected = await caller.post('/instance/connect')
  expect({ status: connected.status, error: connected.body.error }).toEqual(conflict)
  expect(connected.body.message).toContain('A credential is being imported')
  expect((await caller.post('/instance/restart')).status).toBe(409)
  const second = await importLines(device, credentialLines)
  expect({ status: second.status, error: second.body.error }).toEqual(conflict)
  expect((await caller.get('/instance/status')).body.jid).toBe('')
  open.finish()
  expect((await open.answer).status).toBe(200)
  expect((await caller.get('/instance/status')).body.jid).not.toBe('')
})

test('a disconnect ends it, and nothing of it is stored', limit, async () => {
  const { device, open } = await startImport()
  expect((await device.caller.post('/instance/disconnect')).status).toBe(200)
  expect(await open.answer).toEqual(conflict)
  expect((await device.caller.get('/instance/status')).body.jid).toBe('')
  expect((await importLines(device, credentialLines)).status).toBe(200)
})

test('a deletion ends it', limit, async () => {
  const { device, open } = await startImport()
  expect((await device.caller.delete('/instance')).status).toBe(200)
  expect(await open.answer).toEqual({ status: 404, error: 'instance_not_found' })
  expect((await device.caller.get('/instance/status')).status).toBe(401)
})

test('imports by id, a connect and a deletion that come at once: each is done, refused, or finds no instance', async () => {
  const body = { 'content-type': 'application/x-ndjson' }
  for (let round = 0; round < 10; round++) {
    const { id } = await createDevice(world)
    const path = `/v1/instances/${id}`
    const answers = await Promise.all([
      world.admin.request('POST', `${path}/import`, credentialLines, body),
      world.admin.post(`${path}/connect`),
      world.admin.delete(path),
      world.admin.request('POST', `${path}/import`, credentialLines, body),
    ])
    const seen = answers.map(({ status, body: { error } }) => `${status} ${error ?? 'done'}`)
    const allowed = ['200 done', '404 instance_not_found', '409 session_conflict']
    expect([round, seen.filter((answer) => !allowed.includes(answer))]).toEqual([round, []])
    expect([round, seen[2]]).toEqual([round, '200 done'])
  }
})
