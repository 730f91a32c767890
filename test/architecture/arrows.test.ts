// Who may import whom: data flows edge → shared ← session-host, and the network's library stays in its rooms.

import { dialectNames } from '@msgnet/shared/contract/webhook-formats.ts'
import { expect, test } from 'vitest'
import { readSources, type Source } from './sources.ts'

const all = readSources()
const isWithin =
  (...rooms: string[]) =>
  (source: Source) =>
    rooms.some((room) => source.path.startsWith(room))
const isOwnPath = (target: string) =>
  /^(clients|bridges|console|openapi|edge|session-host|shared|cli|simulator|test|migrations)\//.test(target)

function findStrays(where: (source: Source) => boolean, allowed: (target: string) => boolean): string[] {
  return all
    .filter(where)
    .flatMap(({ path, imports }) =>
      imports.filter((target) => !allowed(target)).map((target) => `${path} → ${target}`),
    )
}

/** Imports into the rooms above, by room. */
const findUpwardImports = (above: Record<string, string[]>) =>
  Object.entries(above).flatMap(([room, rooms]) =>
    findStrays(isWithin(room), (target) => !rooms.some((one) => target.startsWith(one))),
  )

const isBaileys = (target: string) => target === 'baileys' || target.startsWith('baileys/')

test('shared imports neither edge nor host, and nothing of a runtime', () => {
  // The database's client for the web needs `fetch` only.
  const isAllowed = (target: string) =>
    target.startsWith('shared/') || /^(zod|drizzle-orm|@libsql\/client\/web)(\/|$)/.test(target)
  expect(findStrays((source) => isWithin('shared/')(source) && !onNode(source), isAllowed)).toEqual([])
})

const onNode = isWithin('shared/node/', 'edge/node/')
const isFreeOfRuntime = (target: string) =>
  /^(node:|cloudflare:|libsql$|ws$|@hono\/node-server$)/.test(target) ||
  /^(edge|shared)\/(node|cloudflare)\//.test(target)

test('what is shared by programs on Node is used by those only', () => {
  const users = isWithin('shared/node/', 'edge/node/', 'session-host/', 'cli/', 'bridges/', 'test/')
  const isAllowedTarget = (target: string) => !target.startsWith('shared/node/')
  expect(findStrays((source) => !users(source), isAllowedTarget)).toEqual([])
  expect(
    findStrays(isWithin('shared/node/'), (target) => !isOwnPath(target) || target.startsWith('shared/')),
  ).toEqual([])
})

test('the edge imports shared only, and knows neither of its runtimes', () => {
  const adapters = isWithin('edge/node/', 'edge/cloudflare/')
  expect(
    findStrays(
      (source) => isWithin('edge/')(source) && !adapters(source),
      (target) => !isFreeOfRuntime(target),
    ),
  ).toEqual([])
  const isAllowed = (target: string) => !isOwnPath(target) || /^(edge|shared)\//.test(target)
  expect(findStrays(isWithin('edge/'), isAllowed)).toEqual([])
})

test('an adapter of the edge to one runtime knows nothing of the other', () => {
  const isFreeOfNode = (target: string) => /^(node:|libsql$|ws$|(edge|shared)\/node\/)/.test(target)
  expect(findStrays(isWithin('edge/cloudflare/'), (target) => !isFreeOfNode(target))).toEqual([])
  expect(
    findStrays(isWithin('edge/node/'), (target) => !/^(cloudflare:|edge\/cloudflare\/)/.test(target)),
  ).toEqual([])
})

test('in the edge arrows go from routes and what requests pass to what they do, and from there to the store', () => {
  const above = {
    'edge/store/': [
      'edge/api-app.ts',
      'edge/routes/',
      'edge/http/',
      'edge/hosts/',
      'edge/delivery/',
      'edge/media/',
      'edge/idempotency/',
    ],
    'edge/idempotency/': ['edge/api-app.ts', 'edge/routes/', 'edge/hosts/', 'edge/delivery/', 'edge/media/'],
    'edge/hosts/': ['edge/api-app.ts', 'edge/routes/', 'edge/http/'],
    'edge/delivery/': ['edge/api-app.ts', 'edge/routes/', 'edge/http/', 'edge/hosts/', 'edge/media/'],
    'edge/media/': ['edge/api-app.ts', 'edge/routes/', 'edge/http/'],
    'edge/http/': ['edge/api-app.ts', 'edge/routes/'],
  }
  expect(findUpwardImports(above)).toEqual([])
})

/** One for each name in `DIALECTS`. */
const dialectRooms = dialectNames.map((name) => `edge/${name}/`)

test('a dialect knows no other dialect, and has at most 1,500 lines of code', () => {
  for (const room of dialectRooms) {
    const others = dialectRooms.filter((other) => other !== room)
    expect(findUpwardImports({ [room]: others })).toEqual([])
    const lines = all.filter(isWithin(room)).reduce((sum, { text }) => sum + countCode(text), 0)
    expect(lines).toBeGreaterThan(0)
    expect(lines).toBeLessThanOrEqual(1500)
  }
})

const countCode = (text: string) =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)).length

test('the edge knows dialects by their interface, and its runtimes choose them', () => {
  const isRuntime = isWithin('edge/node/node-runtime.ts', 'edge/cloudflare/cloudflare-runtime.ts')
  const isDialect = isWithin('edge/dialect/', ...dialectRooms, 'edge/choose-dialect.ts')
  const shared = ['dialect.ts', 'dialects.ts', 'envelope.ts', 'event-format.ts'].map(
    (name) => `edge/dialect/${name}`,
  )
  const isAllowed = (target: string) =>
    !['edge/dialect/', ...dialectRooms, 'edge/choose-dialect'].some((room) => target.startsWith(room)) ||
    shared.includes(target)
  const isCore = (source: Source) => isWithin('edge/')(source) && !isDialect(source)
  expect(findStrays((source) => isCore(source) && !isRuntime(source), isAllowed)).toEqual([])
  const isChosen = (target: string) => isAllowed(target) || target === 'edge/choose-dialect.ts'
  expect(findStrays(isRuntime, isChosen)).toEqual([])
})

test('the state of an idempotency key is read and changed in one room, and a mismatch is decided in one file', () => {
  const findFiles = (pattern: RegExp) =>
    all.filter(({ path, text }) => path.startsWith('edge/') && pattern.test(text)).map(({ path }) => path)
  expect(findFiles(/\bidempotencyKeys\b|\bidempotency_keys\b/)).toEqual(['edge/idempotency/key-store.ts'])
  expect(findFiles(/new Fault\('idempotency_mismatch'\)/)).toEqual(['edge/idempotency/key-decision.ts'])
})

test('whether a token is valid is written once in SQL, and by the clock of the database only', () => {
  const comparesPrevious = /previous_token_(hash|until)|previousToken(Hash|Until)\s*([<>]|===)/
  const users = all.filter(({ path, text }) => path.startsWith('edge/') && comparesPrevious.test(text))
  expect(users.map(({ path }) => path)).toEqual(['edge/store/token-validity.ts'])
})

test('the way to the database knows nothing of what the edge keeps there', () => {
  const isAllowed = (target: string) =>
    !target.startsWith('edge/store/') || target.startsWith('edge/store/database/')
  expect(findStrays(isWithin('edge/store/database/'), isAllowed)).toEqual([])
})

test('in the host arrows go from the link to actions, to sessions, and from there to the network and the store', () => {
  const above = {
    'session-host/store/': ['session-host/link/', 'session-host/actions/', 'session-host/sessions/'],
    'session-host/driver/': ['session-host/link/', 'session-host/actions/', 'session-host/sessions/'],
    'session-host/sessions/': ['session-host/link/', 'session-host/actions/'],
    'session-host/actions/': ['session-host/link/'],
  }
  expect(findUpwardImports(above)).toEqual([])
})

test('the client and the documentation are made from what is shared, and neither is a part of the other', () => {
  const allowOnly = (room: string) => (target: string) =>
    isOwnPath(target) ? target.startsWith('shared/') || target.startsWith(room) : !target.startsWith('node:')
  expect(findStrays(isWithin('clients/typescript/'), allowOnly('clients/typescript/'))).toEqual([])
  expect(findStrays(isWithin('openapi/'), allowOnly('openapi/'))).toEqual([])
})

test('the packages that decode foreign files are loaded by the process of a decoder, and never by the host', () => {
  const isDecoder = (target: string) =>
    /^(sharp|mediabunny|@mediabunny\/|mpg123-decoder|libopus-wasm|audio-file-decoder|@wasm-audio-decoders\/)/.test(
      target,
    )
  const listAllLoaded = (start: string) => {
    const loaded = new Set([start])
    for (const path of loaded)
      for (const target of all.find((source) => source.path === path)?.loads ?? []) loaded.add(target)
    return [...loaded]
  }
  expect(listAllLoaded('session-host/run-host.ts').filter(isDecoder)).toEqual([])
  expect(listAllLoaded('session-host/media/decoder-main.ts').filter(isDecoder)).toContain('sharp')
})

test('the session host imports shared only', () => {
  const isAllowed = (target: string) => !isOwnPath(target) || /^(session-host|shared)\//.test(target)
  expect(findStrays(isWithin('session-host/'), isAllowed)).toEqual([])
})

test('the commands import neither edge nor host: they start them; one becomes the edge, one replays a log in the simulator, and the pages have the document of a dialect', () => {
  const isAllowed = (target: string) => !isOwnPath(target) || /^(clients|openapi|cli|shared)\//.test(target)
  expect(findStrays(isWithin('cli/'), isAllowed)).toEqual([
    'cli/build/build-documentation.ts → edge/uazapi/uazapi-document.ts',
    'cli/network-log-command.ts → simulator/replay/replay-network.ts',
    'cli/serve-edge.ts → edge/node/edge-process.ts',
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
    'cli/network-log/',
  ]
  const users = [
    'cli/demo/',
    'cli/first-day/',
    'cli/grade/',
    'cli/lab/',
    'cli/move-in/',
    'bridges/',
    'cli/receivers/',
    'cli/cloudflare/',
    'cli/translations/',
  ]
  const isOutsideLocalOr = (allowed: string[]) => (target: string) =>
    !target.startsWith('cli/') || allowed.some((room) => target.startsWith(room))
  const back = rooms.flatMap((room, at) =>
    findStrays(isWithin(room), isOutsideLocalOr(rooms.slice(0, at + 1))),
  )
  const sideways = users.flatMap((room) => findStrays(isWithin(room), isOutsideLocalOr([...rooms, room])))
  expect([...back, ...sideways]).toEqual([])

  const known = [...rooms, ...users]
  const elsewhere = all
    .map(({ path }) => path)
    .filter((path) => /^cli\/.+\//.test(path) && !known.some((room) => path.startsWith(room)))
  expect(elsewhere).toEqual([])
})

test('the console imports the client and shared only, and nothing of Node', () => {
  const isAllowed = (target: string) =>
    isOwnPath(target) ? /^(clients|console|shared)\//.test(target) : !target.startsWith('node:')
  expect(findStrays(isWithin('console/'), isAllowed)).toEqual([])
})

test('the simulator stands alone: it knows the gateway by the wire only', () => {
  const isAllowed = (target: string) => !isOwnPath(target) || target.startsWith('simulator/')
  expect(findStrays(isWithin('simulator/'), isAllowed)).toEqual([])
})

test('the library of the network is imported by the driver, by the codecs of the simulator, and by tests of the wire', () => {
  const rooms = isWithin('session-host/driver/baileys/', 'simulator/codec/', 'test/wire/', 'test/bench/')
  expect(
    findStrays(
      (source) => !rooms(source),
      (target) => !isBaileys(target),
    ),
  ).toEqual([])
})

test('the older line of the library is imported by its client in the scenarios', () => {
  expect(
    findStrays(
      ({ path }) => !path.startsWith('test/scenarios/older-'),
      (target) => target !== 'baileys-6',
    ),
  ).toEqual([])
})

test('libsignal, which has another licence, is imported by the driver, by the simulator, and by tests', () => {
  const rooms = isWithin('session-host/driver/baileys/', 'simulator/', 'test/')
  expect(
    findStrays(
      (source) => !rooms(source),
      (target) => !/^libsignal(\/|$)/.test(target),
    ),
  ).toEqual([])
})

test('the codecs of the simulator take no behaviour from the library, only its encodings', () => {
  const isAllowed = (target: string) =>
    !isBaileys(target) || /^baileys\/(WAProto|lib\/(WABinary|Utils\/crypto))/.test(target)
  expect(findStrays(isWithin('simulator/'), isAllowed)).toEqual([])
})

/** The ways in this graph that come back to where they began. */
function findCircles(imports: ReadonlyMap<string, Iterable<string>>): string[] {
  const cleared = new Set<string>()
  const circles: string[] = []
  const visitImports = (path: string, way: string[]) => {
    const at = way.indexOf(path)
    if (at >= 0) circles.push([...way.slice(at), path].join(' → '))
    if (at >= 0 || cleared.has(path)) return
    for (const target of imports.get(path) ?? []) visitImports(target, [...way, path])
    cleared.add(path)
  }
  for (const path of imports.keys()) visitImports(path, [])
  return circles
}

test('nothing imports itself by way of others', () => {
  expect(findCircles(new Map(all.map(({ path, imports }) => [path, imports.filter(isOwnPath)])))).toEqual([])
})

test.each(['edge', 'session-host', 'shared', 'console', 'cli', 'bridges', 'simulator', 'openapi'])(
  'no import runs back up between the rooms of %s',
  (name) => {
    // What one of them needs is behind its interface: the library of the network, and a tunnel to it.
    const findRoom = (path: string) =>
      /^session-host\/driver\/\w+(?=\/)|^[\w-]+\/[^/]+/.exec(path)?.[0] ?? path
    const rooms = new Map<string, Set<string>>()
    for (const { path, imports } of all.filter(isWithin(`${name}/`))) {
      const room = findRoom(path)
      const known = rooms.get(room) ?? new Set()
      rooms.set(room, known)
      for (const target of imports.filter((one) => one.startsWith(`${name}/`)))
        if (findRoom(target) !== room) known.add(findRoom(target))
    }
    expect(rooms.size).toBeGreaterThan(1)
    expect(findCircles(rooms)).toEqual([])
  },
)

test('the edge and the session host have rooms, and beside them only what builds the whole of them', () => {
  const isLoose = ({ path }: Source) => /^(edge|session-host)\/[^/]+\.ts$/.test(path)
  expect(all.filter(isLoose).map(({ path }) => path)).toEqual([
    'edge/api-app.ts',
    'edge/choose-dialect.ts',
    'session-host/config.ts',
    'session-host/run-host.ts',
    'session-host/session-host.ts',
  ])
})
