// Tokens that callers write into paths and queries are in no line of any log, wherever a path or a query takes them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { asDeployed, everyLine, startWorld, type World } from '../world.ts'

/** A token of an operator's choice: it has no form that distinguishes it from a word. */
const ROOT = 'a-root-token-of-the-operators-own'

function readLogs({ dataDir }: World): { name: string; text: string }[] {
  const folder = join(dataDir, 'logs')
  return readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
}

/** Every line up to that of a last request. It is repeated, because a runtime may write its lines only when it has many. */
async function readNewLogs(world: World, caller: Caller, path: string) {
  const last = crypto.randomUUID()
  return until(async () => {
    await caller.get(path, { 'x-request-id': last })
    const logs = readLogs(world)
    return logs.some(({ name, text }) => name === 'edge.log' && text.includes(last)) && logs
  })
}

const findLines = (logs: { name: string; text: string }[], hidden: string) =>
  logs.flatMap(({ text }) => text.split('\n')).filter((line) => line.includes(hidden))

describe.each(['off', 'uazapi'])('COMPATIBILITY=%s', (COMPATIBILITY) => {
  let world: World
  let device: LinkedDevice
  const createAdminCaller = () => createPlainCaller(world.run.baseUrl, { admintoken: ROOT })
  const createOwnCaller = () => createPlainCaller(world.run.baseUrl, { token: device.token })
  const createAnonymousCaller = () => createPlainCaller(world.run.baseUrl, {})

  beforeAll(async () => {
    world = await startWorld({ ...everyLine, COMPATIBILITY, ADMIN_TOKEN: ROOT })
    const { body } = await createAdminCaller().post('/instance/init', { name: 'Shop' })
    const { token } = body
    device = await linkDevice(world, {
      id: body.instance.id,
      token,
      caller: createPlainCaller(world.run.baseUrl, { token }),
    })
  })

  afterAll(() => world.close())

  test('no token of a path or a query is logged', async () => {
    const hidden = [device.token, ROOT, createToken('instance'), createToken('admin'), createToken('host')]
    for (const token of hidden) {
      // biome-ignore format: a list of short entries
      const paths = [
        `/v1/instances/${token}`, `/v1/instances/${token}/export`, `/group/invitelink/${token}`,
        `/v1/hosts/${token}`, `/v1/tokens/${token}`, `/v1/tokens/${token}/token`, `/${token}`,
        `/sse?token=${token}`, `/instance/status?token=${token}`, `/v1/events?admintoken=${token}`,
        `/console/${token}`, `/console/laboratory/${token}`, `/media?file=${token}`, `/docs?${token}`,
      ]
      for (const path of paths)
        for (const caller of [createAdminCaller(), createOwnCaller(), createAnonymousCaller()])
          for (const method of ['GET', 'DELETE', 'POST']) {
            // A stream would not end.
            if (method === 'GET' && path.startsWith('/sse')) continue
            await caller.request(method, path, method === 'POST' ? {} : undefined)
          }
    }
    const logs = await readNewLogs(world, createOwnCaller(), '/instance/limits')
    for (const token of hidden) expect(findLines(logs, token)).toEqual([])
  })

  test('no token of a stream and no seal of a file link is logged', async () => {
    const stream = await fetch(`${world.run.baseUrl}/sse?token=${device.token}`, {
      headers: { token: device.token },
    })
    await stream.body?.cancel()
    const friend = await createPhone(world)
    const file = Buffer.from('a file').toString('base64')
    const sent = await createOwnCaller().post('/send/media', { number: friend, type: 'document', file })
    const { body } = await createOwnCaller().post('/message/download', {
      id: sent.body.messageid ?? sent.body.id,
    })
    const { pathname, search, searchParams } = new URL(body.fileURL)
    expect((await createAnonymousCaller().get(pathname + search)).status).toBe(200)
    const logs = await readNewLogs(world, createOwnCaller(), '/instance/limits')
    for (const hidden of [device.token, searchParams.get('file') ?? '?'])
      expect(findLines(logs, hidden)).toEqual([])
  })

  test('a log line has the route and the id', async () => {
    const id = crypto.randomUUID()
    await createAdminCaller().get(`/v1/instances/${id}`)
    await createAdminCaller().delete(`/v1/tokens/${createToken('admin')}`)
    const logs = await readNewLogs(world, createOwnCaller(), '/instance/limits')
    expect(findLines(logs, `"path":"/v1/instances/${id}"`)).toHaveLength(1)
    expect(findLines(logs, '"path":"/v1/tokens/:id"').length).toBeGreaterThan(0)
    expect(findLines(logs, '"path":"/instance/limits"').length).toBeGreaterThan(0)
  })

  test.skipIf(asDeployed)('phone numbers of the simulation are not logged', async () => {
    await createAdminCaller().get('/console/laboratory/sim/phones/5511988887777/inbox')
    const logs = await readNewLogs(world, createOwnCaller(), '/instance/limits')
    expect(findLines(logs, '/laboratory/').filter((line) => line.includes('5511988887777'))).toEqual([])
  })
})
