// Every route by other ways than the ordinary one: none of them opens what the ordinary one refuses, or leads to another route.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from '@msgnet/edge/api-app.ts'
import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice } from '../device.ts'
import { formatRequest, type RawRequest, readStatuses, upgradeHeaders } from '../raw-request.ts'
import { asDeployed, unlimited } from '../world.ts'

type Headers = Record<string, string>

interface Way {
  /** Undefined where the way does not exist for the request. */
  change(request: RawRequest): RawRequest | undefined
  /** `same`: the status is that of the ordinary way. `unknown`: there is no such route. `refused`: it may be the same, or an error. */
  expects: 'same' | 'unknown' | 'refused'
}

const withHeaders = (request: RawRequest, headers: RawRequest['headers']): RawRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
})
const addHeaders = (headers: Headers): Way => ({
  change: (request) => withHeaders(request, headers),
  expects: 'same',
})
const changeTarget = (change: (target: string) => string, expects: Way['expects']): Way => ({
  change: (request) => ({ ...request, target: change(request.target) }),
  expects,
})

const ways: Record<string, Way> = {
  // The runtime at Cloudflare refuses it by itself for any method but GET.
  'an upgrade to a WebSocket': { ...addHeaders(upgradeHeaders), expects: asDeployed ? 'refused' : 'same' },
  'an upgrade to HTTP/2': addHeaders({ connection: 'upgrade, http2-settings', upgrade: 'h2c' }),
  'a range': addHeaders({ range: 'bytes=0-0' }),
  'a method in a header': {
    change: (request) =>
      withHeaders(
        { ...request, method: 'TRACE' },
        {
          'x-http-method-override': request.method,
          'x-http-method': request.method,
          'x-method-override': request.method,
        },
      ),
    expects: 'refused',
  },
  HEAD: {
    change: (request) => (request.method === 'GET' ? { ...request, method: 'HEAD' } : undefined),
    expects: 'same',
  },
  'another name of the host': addHeaders({ host: 'localhost', 'x-forwarded-host': 'other.example' }),
  'another path in a header': addHeaders({
    'x-original-url': '/health/live',
    'x-rewrite-url': '/health/live',
  }),
  'dots behind an encoded slash': changeTarget((target) => `/health%2f..${target}`, 'unknown'),
  'a second slash': changeTarget((target) => `/${target}`, 'refused'),
  'a slash behind it': changeTarget((target) => `${target}/`, 'refused'),
  'encoded slashes': changeTarget((target) => `/${target.slice(1).replaceAll('/', '%2f')}`, 'refused'),
  'other letters': changeTarget((target) => target.toUpperCase(), 'refused'),
  'each credential twice': {
    change: ({ headers = {}, ...request }) => ({
      ...request,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value, value].flat()]),
      ),
    }),
    expects: 'refused',
  },
}

/** Ways on which a runtime at Cloudflare decides before the gateway: it resolves dots before anything is allowed or counted by the path. */
const ownWays: Record<string, Way> = {
  'a segment of dots': changeTarget((target) => `/health/..${target}`, 'unknown'),
  'encoded dots': changeTarget((target) => `/health/%2e%2E${target}`, 'unknown'),
  'half encoded dots': changeTarget((target) => `/health/.%2e${target}`, 'unknown'),
  'a dot before it': changeTarget((target) => `/%2e${target}`, 'unknown'),
  'dots behind it': changeTarget((target) => `${target}/x/..`, 'unknown'),
  'an expectation': addHeaders({ expect: '100-continue' }),
  'a whole URL': changeTarget((target) => `http://other.example${target}`, 'same'),
  'HTTP/1.0': { change: (request) => ({ ...request, version: '1.0' }), expects: 'same' },
}

const isAsExpected = (expects: Way['expects'], ordinary: number | undefined, status: number | undefined) => {
  if (status === undefined || status === 101) return false
  if (expects === 'unknown') return status === 404
  return status === ordinary || (expects === 'refused' && status >= 400 && status < 500)
}

const declared = Object.entries<Route>(routes)

/** What the app serves beside the declared routes: pages with what they ask for, tools, authorization. */
const findWord = (path: string) => path.split('/')[1]
const words = new Set(declared.map(([, { path }]) => findWord(path)))
const undeclared = app.routes.filter(({ method, path }) => method !== 'ALL' && !words.has(findWord(path)))

const settings: { env: Record<string, string>; prefix: string }[] = [
  { env: { COMPATIBILITY: '' }, prefix: '' },
  { env: { COMPATIBILITY: 'uazapi' }, prefix: '' },
  // A prefix is one more way to each route: below it nothing is open that is not at the root.
  { env: { DIALECTS: 'uazapi,evolution,cloud' }, prefix: '/uazapi' },
  { env: { DIALECTS: 'uazapi,evolution,cloud' }, prefix: '/evolution' },
  { env: { DIALECTS: 'uazapi,evolution,cloud' }, prefix: '/graph' },
]

describe.each(settings)('with $env below "$prefix"', ({ env, prefix }) => {
  let world: BorrowedWorld
  let instanceId: string
  let credentials: Record<Route['auth'], Headers>

  beforeAll(async () => {
    // The same variables as in `strict-document.test.ts`: a gateway more takes seconds to start.
    world = await borrowWorld({ ...unlimited, ...env, ...(env.DIALECTS && { INTERACTIVE: 'on' }) })
    const device = await createDevice(world)
    instanceId = device.id
    const host = await world.admin.post('/v1/hosts', { region: 'eu-west', slots: 1 })
    credentials = {
      none: {},
      admin: { admintoken: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim() },
      instance: { token: device.token },
      host: { authorization: `Bearer ${host.body.token}` },
    }
  })
  afterAll(() => world.close())

  const readStatus = async (request: RawRequest) =>
    (await readStatuses(world.run.baseUrl, formatRequest(request)))[0]

  const toRequest = ({ method, path, names }: Route, headers: Headers): RawRequest => ({
    method,
    target: prefix + path.replace(/\{\w+\}/g, names === 'instance' ? instanceId : crypto.randomUUID()),
    headers,
    ...(method !== 'GET' && { body: '{}' }),
  })

  /** The ways by which a route is not served as it should be. */
  async function findWrong(request: RawRequest): Promise<string[]> {
    const ordinary = await readStatus(request)
    const wrong: string[] = []
    for (const [name, { change, expects }] of Object.entries({ ...ways, ...(!asDeployed && ownWays) })) {
      const changed = change(request)
      const status = changed ? await readStatus(changed) : ordinary
      if (changed && !isAsExpected(expects, ordinary, status))
        wrong.push(`${request.method} ${request.target} by ${name}: ${status}, and not ${ordinary}`)
    }
    return wrong
  }

  test.each(declared)('%s is the same without a credential by every way', async (_, route) => {
    expect(await findWrong(toRequest(route, {}))).toEqual([])
  })

  // Of the others a valid credential would change something.
  const reading = declared.filter(([id, { method }]) => method === 'GET' && id !== 'openHostLink')
  test.each(reading)('%s is the same with its credential by every way', async (_, route) => {
    expect(await findWrong(toRequest(route, credentials[route.auth]))).toEqual([])
  })

  test.skipIf(prefix !== '')('the link of a host is an upgrade, and only by its own path', async () => {
    const link = { ...toRequest(routes.openHostLink, credentials.host) }
    const upgrade = withHeaders(link, upgradeHeaders)
    expect(await readStatus(link)).toBe(400)
    expect(await readStatus({ ...upgrade, target: '//other.example/hosts/v1/link' })).toBe(404)
    if (!asDeployed) {
      expect(await readStatus({ ...upgrade, method: 'HEAD' })).toBe(400)
      expect(await readStatus({ ...upgrade, target: '/health/%2e%2e/hosts/v1/link' })).toBe(404)
      expect(await readStatus(withHeaders(link, { upgrade: 'websocket' }))).toBe(400)
    }
    expect(await readStatus(upgrade)).toBe(101)
  })

  test.runIf(prefix !== '')(
    'the link of a host, and what is for people and operators, is at the root only',
    async () => {
      const link = withHeaders(toRequest(routes.openHostLink, credentials.host), upgradeHeaders)
      expect(await readStatus(link)).toBe(404)
      for (const target of ['/console', '/docs', '/mcp', '/link/x', '/health/live', '/v1/hosts']) {
        // To the Cloud API the last segment of these is the id of an object, which wants that form's own credential.
        const refusal = prefix === '/graph' && ['/mcp', '/v1/hosts'].includes(target) ? 401 : 404
        const status = await readStatus({
          method: 'GET',
          target: prefix + target,
          headers: credentials.admin,
        })
        expect([target, status]).toEqual([target, refusal])
      }
    },
  )

  test.runIf(prefix === '/uazapi' || prefix === '/evolution')(
    'pages, what they ask for, and authorization are at the root only',
    async () => {
      expect(undeclared.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['/link', '/portal/state', '/oauth/token', '/oauth/authorize/consent']),
      )
      const found: string[] = []
      for (const { method, path } of undeclared) {
        // Without an address of its own the gateway of this test has no authorization, wherever it is asked for.
        const target = prefix + path.replace(/:\w+/g, 'x')
        const status = await readStatus({ method, target, headers: credentials.admin })
        if (status !== 404) found.push(`${method} ${target}: ${status}`)
      }
      expect(found).toEqual([])
    },
  )

  test('requests behind one another are answered as each alone', async () => {
    const all = reading
      .filter(([, { auth }]) => auth !== 'none')
      .map(([, route]) => toRequest(route, credentials[route.auth]))
    const finite = all.filter(({ target }) => !/stream|export/.test(target))
    const alone: (number | undefined)[] = []
    for (const request of finite) alone.push(await readStatus(request))
    const together = await readStatuses(world.run.baseUrl, finite.map(formatRequest).join(''), finite.length)
    expect(together).toEqual(alone)
  })
})
