// Who may import whom: data flows edge → shared ← session-host, and the network's library stays in its rooms.

import { expect, test } from 'vitest'
import { type Source, sources } from './sources.ts'

const all = sources()
const within =
  (...rooms: string[]) =>
  (source: Source) =>
    rooms.some((room) => source.path.startsWith(room))
const own = (target: string) =>
  /^(client|console|openapi|edge|session-host|shared|cli|simulator|test|migrations)\//.test(target)

function strays(where: (source: Source) => boolean, allowed: (target: string) => boolean): string[] {
  return all
    .filter(where)
    .flatMap(({ path, imports }) =>
      imports.filter((target) => !allowed(target)).map((target) => `${path} → ${target}`),
    )
}

/** Imports into the rooms above, by room. */
const back = (above: Record<string, string[]>) =>
  Object.entries(above).flatMap(([room, rooms]) =>
    strays(within(room), (target) => !rooms.some((one) => target.startsWith(one))),
  )

const isBaileys = (target: string) => target === 'baileys' || target.startsWith('baileys/')

test('shared imports neither edge nor host, and nothing of a runtime', () => {
  // The database's client for the web needs `fetch` only.
  const allowed = (target: string) =>
    target.startsWith('shared/') || /^(zod|drizzle-orm|@libsql\/client\/web)(\/|$)/.test(target)
  expect(strays((source) => within('shared/')(source) && !onNode(source), allowed)).toEqual([])
})

const onNode = within('shared/node/', 'edge/node/')
const ofRuntime = (target: string) =>
  /^(node:|cloudflare:|libsql$|ws$|@hono\/node-server$)/.test(target) ||
  /^(edge|shared)\/(node|cloudflare)\//.test(target)

test('what is shared by programs on Node is used by those only', () => {
  const users = within('shared/node/', 'edge/node/', 'session-host/', 'cli/', 'test/')
  const targets = (target: string) => !target.startsWith('shared/node/')
  expect(strays((source) => !users(source), targets)).toEqual([])
  expect(strays(within('shared/node/'), (target) => !own(target) || target.startsWith('shared/'))).toEqual([])
})

test('the edge imports shared only, and knows neither of its runtimes', () => {
  const adapters = within('edge/node/', 'edge/cloudflare/')
  expect(
    strays(
      (source) => within('edge/')(source) && !adapters(source),
      (target) => !ofRuntime(target),
    ),
  ).toEqual([])
  const allowed = (target: string) => !own(target) || /^(edge|shared)\//.test(target)
  expect(strays(within('edge/'), allowed)).toEqual([])
})

test('an adapter of the edge to one runtime knows nothing of the other', () => {
  const ofNode = (target: string) => /^(node:|libsql$|ws$|(edge|shared)\/node\/)/.test(target)
  expect(strays(within('edge/cloudflare/'), (target) => !ofNode(target))).toEqual([])
  expect(strays(within('edge/node/'), (target) => !/^(cloudflare:|edge\/cloudflare\/)/.test(target))).toEqual(
    [],
  )
})

test('in the edge arrows go from routes and what requests pass to what they do, and from there to the store', () => {
  const above = {
    'edge/store/': [
      'edge/app.ts',
      'edge/routes/',
      'edge/http/',
      'edge/hosts/',
      'edge/delivery/',
      'edge/media/',
    ],
    'edge/hosts/': ['edge/app.ts', 'edge/routes/', 'edge/http/'],
    'edge/delivery/': ['edge/app.ts', 'edge/routes/', 'edge/http/', 'edge/hosts/', 'edge/media/'],
    'edge/media/': ['edge/app.ts', 'edge/routes/', 'edge/http/'],
    'edge/http/': ['edge/app.ts', 'edge/routes/'],
  }
  expect(back(above)).toEqual([])
})

test('the way to the database knows nothing of what the edge keeps there', () => {
  const allowed = (target: string) =>
    !target.startsWith('edge/store/') || target.startsWith('edge/store/database/')
  expect(strays(within('edge/store/database/'), allowed)).toEqual([])
})

test('in the host arrows go from the link to actions, to sessions, and from there to the network and the store', () => {
  const above = {
    'session-host/store/': ['session-host/link/', 'session-host/actions/', 'session-host/sessions/'],
    'session-host/driver/': ['session-host/link/', 'session-host/actions/', 'session-host/sessions/'],
    'session-host/sessions/': ['session-host/link/', 'session-host/actions/'],
    'session-host/actions/': ['session-host/link/'],
  }
  expect(back(above)).toEqual([])
})

test('the client and the documentation are made from what is shared, and neither is a part of the other', () => {
  const of = (room: string) => (target: string) =>
    own(target) ? target.startsWith('shared/') || target.startsWith(room) : !target.startsWith('node:')
  expect(strays(within('client/'), of('client/'))).toEqual([])
  expect(strays(within('openapi/'), of('openapi/'))).toEqual([])
})

test('the session host imports shared only', () => {
  const allowed = (target: string) => !own(target) || /^(session-host|shared)\//.test(target)
  expect(strays(within('session-host/'), allowed)).toEqual([])
})

test('the commands import neither edge nor host: they start them; one becomes the edge, one replays a log in the simulator', () => {
  const allowed = (target: string) => !own(target) || /^(client|openapi|cli|shared)\//.test(target)
  expect(strays(within('cli/'), allowed)).toEqual([
    'cli/network-log.ts → simulator/replay/replay.ts',
    'cli/serve-edge.ts → edge/node/main.ts',
  ])
})

test('on one machine arrows go from the commands to their rooms, and from each room to those that it is built on', () => {
  const rooms = [
    'cli/settings/',
    'cli/http/',
    'cli/build/',
    'cli/keys/',
    'cli/processes/',
    'cli/parts/',
    'cli/data-folder/',
    'cli/backups/',
  ]
  const users = ['cli/demo/', 'cli/bridges/', 'cli/receivers/', 'cli/cloudflare/']
  const inside = (allowed: string[]) => (target: string) =>
    !target.startsWith('cli/') || allowed.some((room) => target.startsWith(room))
  const back = rooms.flatMap((room, at) => strays(within(room), inside(rooms.slice(0, at + 1))))
  const sideways = users.flatMap((room) => strays(within(room), inside([...rooms, room])))
  expect([...back, ...sideways]).toEqual([])

  const known = [...rooms, ...users]
  const elsewhere = all
    .map(({ path }) => path)
    .filter((path) => /^cli\/.+\//.test(path) && !known.some((room) => path.startsWith(room)))
  expect(elsewhere).toEqual([])
})

test('the console imports the client and shared only, and nothing of Node', () => {
  const allowed = (target: string) =>
    own(target) ? /^(client|console|shared)\//.test(target) : !target.startsWith('node:')
  expect(strays(within('console/'), allowed)).toEqual([])
})

test('the simulator stands alone: it knows the gateway by the wire only', () => {
  const allowed = (target: string) => !own(target) || target.startsWith('simulator/')
  expect(strays(within('simulator/'), allowed)).toEqual([])
})

test('the library of the network is imported by the driver, by the codecs of the simulator, and by tests of the wire', () => {
  const rooms = within('session-host/driver/baileys/', 'simulator/codec/', 'test/wire/', 'test/bench/')
  expect(
    strays(
      (source) => !rooms(source),
      (target) => !isBaileys(target),
    ),
  ).toEqual([])
})

test('the older line of the library is imported by its client in the scenarios', () => {
  expect(
    strays(
      ({ path }) => !path.startsWith('test/scenarios/older-'),
      (target) => target !== 'baileys-6',
    ),
  ).toEqual([])
})

test('libsignal, which has another licence, is imported by the driver, by the simulator, and by tests', () => {
  const rooms = within('session-host/driver/baileys/', 'simulator/', 'test/')
  expect(
    strays(
      (source) => !rooms(source),
      (target) => !/^libsignal(\/|$)/.test(target),
    ),
  ).toEqual([])
})

test('the codecs of the simulator take no behaviour from the library, only its encodings', () => {
  const allowed = (target: string) =>
    !isBaileys(target) || /^baileys\/(WAProto|lib\/(WABinary|Utils\/crypto))/.test(target)
  expect(strays(within('simulator/'), allowed)).toEqual([])
})

test('nothing imports itself by way of others', () => {
  const imports = new Map(all.map(({ path, imports }) => [path, imports.filter(own)]))
  const cleared = new Set<string>()
  const circles: string[] = []
  const walk = (path: string, way: string[]) => {
    const at = way.indexOf(path)
    if (at >= 0) circles.push([...way.slice(at), path].join(' → '))
    if (at >= 0 || cleared.has(path)) return
    for (const target of imports.get(path) ?? []) walk(target, [...way, path])
    cleared.add(path)
  }
  for (const path of imports.keys()) walk(path, [])
  expect(circles).toEqual([])
})
