// The document and the gateway say the same: every route, every example, and no complaint of a linter.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveries } from '../../documentation/deliveries.ts'
import { entries } from '../../documentation/document.ts'
import { routes } from '../../shared/api/api.ts'
import type { Route } from '../../shared/api/route.ts'
import { type Answer, type Caller, makeCaller } from '../caller.ts'
import { link, makeDevice, makePhone } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { document, expectDocumented, faultsBy } from './documented.ts'

const root = join(import.meta.dirname, '..', '..')
let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

test('a linter has nothing to say against it', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([])
})

test('it is what the gateway hands out, to anybody', async () => {
  const nobody = makeCaller(world.run.baseUrl, {})
  const answer = await nobody.get('/openapi.json')
  expect(answer.body).toEqual(document)
  expect((await nobody.get('/docs')).headers.get('content-type')).toContain('text/html')
})

test('every route of the edge is in it, and the other way round', () => {
  const served = Object.values<Route>(routes).map(({ method, path }) => `${method} ${path}`)
  expect(entries.map(({ route }) => route).sort()).toEqual(served.sort())
  // The app serves what is declared, and has no route of its own.
  const app = readFileSync(join(root, 'edge', 'app.ts'), 'utf8')
  expect(app).toMatch(/Object\.entries\(routes\)/)
  expect([...app.matchAll(/\bapp\.(get|post|put|delete|patch|all|on|route|mount)\(/g)]).toEqual([])
})

test.each(Object.keys(document.paths))('%s takes the methods of the document and no other', async (path) => {
  const answer = await world.as('').ask('PATCH', path.replace('{id}', crypto.randomUUID()))
  const allowed = (answer.headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
  expect(allowed.sort()).toEqual(
    Object.keys(document.paths[path])
      .map((method) => method.toUpperCase())
      .sort(),
  )
})

test('operation ids and the places on the page are unique', () => {
  const ids = [...entries.map(({ operation }) => operation.id), ...Object.keys(document.components.schemas)]
  expect(new Set(ids).size).toBe(ids.length)
})

describe('examples', () => {
  const answered = entries.flatMap(({ route, path, method }) =>
    Object.entries(document.paths[path][method.toLowerCase()].responses).flatMap(([status, response]) => {
      const { 'application/json': json } =
        (response as { content?: Record<string, { schema: unknown; examples?: object }> }).content ?? {}
      return Object.entries(json?.examples ?? {}).map(([name, example]) => ({
        title: `${route} ${status} ${name}`,
        schema: json?.schema,
        value: example.$ref ? document.components.examples[name].value : example.value,
      }))
    }),
  )
  test.each(answered)('$title is as its schema says', ({ schema, value }) => {
    expect(faultsBy(schema, value)).toBe('')
  })

  test.each(Object.keys(deliveries))('the envelope of %s is as its schema says', (name) => {
    const { schema, example } = document.webhooks[name].post.requestBody.content['application/json']
    expect(faultsBy(schema, example)).toBe('')
  })

  const asked = entries.flatMap((entry) =>
    Object.entries(entry.operation.body?.samples ?? { 'no body': undefined }).map(([name, body]) => ({
      ...entry,
      title: `${entry.route}: ${name}`,
      body,
    })),
  )
  // Made of what another operation answered, of a call that rings, or without an end: tested in their own stories.
  const byThemselves = [endless, 'serveMedia', 'rejectCall', 'listCalls']
  test.each(
    asked.filter(({ operation }) => operation.auth !== 'host' && !byThemselves.includes(operation.id)),
  )(
    '$title is asked, taken, and answered as documented',
    async ({ method, path, operation, body }) => {
      // While the schemas were compiled the gateway hung up on connections that this process still believes in.
      await until(() => world.as('').get('/health/live'))
      const { caller, ids, owner } = await prepare(operation)
      const friend = await makePhone(world)
      const fields = (body ?? {}) as Fields
      // What the example names by its id is there: a message of our own, in a chat with the number.
      const words = { number: friend, text: 'for the example' }
      const file = { ...words, type: 'document', file: 'Zm9yIHRoZSBleGFtcGxl' }
      const send = () =>
        operation.id === 'downloadMessage'
          ? caller.post('/send/media', file)
          : caller.post('/send/text', words)
      // A status post is for those in the address book.
      if (operation.id === 'sendStatus') await caller.post('/contact/add', { phone: friend, name: 'Reader' })
      const sent = fields.id && (await send()).body
      const asking = body && {
        ...fields,
        ...(fields.number && { number: friend }),
        ...(sent && { id: Array.isArray(fields.id) ? [sent.messageid] : sent.messageid }),
        ...(fields.groupjid && { groupjid: await groupOf(owner) }),
        ...(fields.participants && { participants: [friend] }),
        ...(fields.invitecode && {
          invitecode: fields.invitecode.replace(/[\w-]+$/, await inviteBy(friend)),
        }),
      }
      const answer = await caller.ask(
        method,
        path.replace('{id}', ids[operation.names ?? 'instance']),
        asking,
      )
      expectDocumented({ ...answer, method, path })
      expect(meaningOf(answer)).toBe('taken')
    },
    30_000,
  )
})

/** What examples name, and is made before they are asked. */
interface Fields {
  number?: string
  id?: string | string[]
  groupjid?: string
  participants?: []
  invitecode?: string
}

/** What goes on for as long as the caller stays, and has tests of its own. */
const endless = 'streamEvents'

const meaningOf = ({ status, body }: Answer): string =>
  status < 300 ? 'taken' : `refused with ${body?.error}: ${body?.message}`

async function groupOf(owner: string): Promise<string> {
  const wish = { subject: 'For the example', owner, participants: [await makePhone(world)] }
  return (await world.sim('POST', '/groups', wish)).jid as string
}

async function inviteBy(owner: string): Promise<string> {
  const { jid } = await world.sim('POST', '/groups', { subject: 'For the example', owner })
  return (await world.sim('GET', `/groups/${jid}`)).invite as string
}

async function prepare(operation: (typeof entries)[number]['operation']) {
  const fresh = await makeDevice(world)
  const needsSession = operation.faults?.includes('not_connected')
  const device = needsSession ? await link(world, fresh) : { ...fresh, number: '' }
  if (operation.id === 'testWebhook') {
    const [place] = world.run.allowlist
    await device.caller.post('/webhook', { url: `http://${place}/`, events: 'all' })
  }
  const host =
    operation.names === 'host' ? (await world.admin.post('/v1/hosts', { region: 'test' })).body.host.id : ''
  const wish = { name: 'For the example', scope: 'read' }
  const token = operation.names === 'token' ? (await world.admin.post('/v1/tokens', wish)).body.record.id : ''
  const caller: Caller =
    operation.auth === 'instance' ? device.caller : operation.auth === 'admin' ? world.admin : world.as('')
  return { caller, ids: { instance: device.id, host, token }, owner: device.number }
}
