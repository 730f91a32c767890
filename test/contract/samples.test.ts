// The samples of the documentation in every language, run by what interprets them: each asks what the document says it asks.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { entries } from '@msgnet/openapi/document.ts'
import { listSampleBodies, toRequestShape } from '@msgnet/openapi/page/sample-bodies.ts'
import { SAMPLE_ORIGIN } from '@msgnet/openapi/sample-origin.ts'
import { type LanguageName, languages } from '@msgnet/openapi/samples/languages.ts'
import { listRecordedSamples } from '@msgnet/openapi/samples/recorded-samples.ts'
import { toSampleRequest } from '@msgnet/openapi/samples/sample-request.ts'
import { deliveredEvents, operatorEvents } from '@msgnet/shared/contract/event-names.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { canRun } from '../optional-programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'samples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const environment = {
  ADMIN: 'mga_admin',
  TOKEN: 'mgi_token',
  ID: 'the-id',
  LINK_ID: 'the-link',
  TOKEN_ID: 'the-scoped-token',
  FILE: 'the-file',
}

interface RecordedRequest {
  method: string | undefined
  url: string | undefined
  credential: unknown
  keyed: boolean
  body: unknown
}

const all = entries.flatMap((entry) => listSampleBodies(entry).map(({ body }) => ({ entry, body })))

const expected: RecordedRequest[] = all.map(({ entry: { method, path, operation }, body }) => ({
  method,
  url:
    path
      .replace('{id}', environment.ID)
      .replace('{linkId}', environment.LINK_ID)
      .replace('{tokenId}', environment.TOKEN_ID) + (operation.id === 'serveMedia' ? '?file=the-file' : ''),
  credential: { admin: environment.ADMIN, instance: environment.TOKEN, none: '', host: '' }[operation.auth],
  keyed: operation.idempotent !== undefined,
  body: JSON.stringify(body) === '{}' ? undefined : body,
}))

/** Files with the samples, and one that runs them one after another. */
const runners = {
  shell: {
    program: 'bash',
    probe: ['-c', 'command -v curl'],
    ending: 'sh',
    // The machine may be without the tool that makes up keys.
    main: (files: string[]) =>
      [
        'set -e',
        'if ! command -v uuidgen; then uuidgen() { cat /proc/sys/kernel/random/uuid; }; fi',
        ...files.map((file) => `. ./${file}`),
      ].join('\n'),
  },
  typescript: {
    program: process.execPath,
    probe: ['--version'],
    ending: 'ts',
    main: (files: string[]) => files.map((file) => `await import('./${file}')`).join('\n'),
  },
  python: {
    program: 'python3',
    probe: ['--version'],
    ending: 'py',
    main: (files: string[]) => files.map((file) => `exec(open("${file}").read(), {})`).join('\n'),
  },
  php: {
    program: 'php',
    probe: ['--version'],
    ending: 'php',
    main: (files: string[]) => `<?php\n${files.map((file) => `require '${file}';`).join('\n')}`,
  },
  go: {
    program: 'go',
    probe: ['version'],
    ending: 'go',
    main: (files: string[]) =>
      `package main\n\nfunc main() {\n${files.map((file) => `\t${toFunctionName(file)}()\n`).join('')}}\n`,
  },
}

/** Programs in Go are one here, because each build takes a second: the `main` of each becomes a function. */
const toFunctionName = (file: string) => `main${file.slice(0, 3)}`

describe.each(Object.keys(languages) as LanguageName[])('in %s', (name) => {
  const { program, probe, ending, main } = runners[name]
  const missing = canRun(program, probe) ? '' : `${program} is not on this machine`

  test('every sample sends a request that its operation accepts', async ({ skip }) => {
    if (missing) skip(missing)
    const server = await startRecorder()
    const place = join(folder, name)
    mkdirSync(place)
    writeFileSync(join(place, 'package.json'), '{"type":"module"}')
    const files = all.map(({ entry, body }, index) => {
      const file = `${String(index).padStart(3, '0')}-${entry.operation.id}.${ending}`
      const text = languages[name]
        .write(toSampleRequest(toRequestShape(entry), body))
        .replaceAll(SAMPLE_ORIGIN, server.url)
      writeFileSync(join(place, file), text.replace('func main()', `func ${toFunctionName(file)}()`))
      return file
    })
    writeFileSync(join(place, `main.${ending}`), main(files))
    const args = name === 'go' ? ['run', ...files, 'main.go'] : [`main.${ending}`]
    await promisify(execFile)(program, args, {
      cwd: place,
      env: { PATH: process.env.PATH, GOCACHE: join(tmpdir(), 'go-cache'), ...environment },
      timeout: 50_000,
    })
    await server.closeServer()
    expect(server.requests).toEqual(expected)
  })
})

test('every operation of callers and operators has samples', () => {
  const sampled = new Set(all.map(({ entry }) => entry.operation.id))
  const others = entries.filter(({ operation }) => !sampled.has(operation.id))
  expect(others.map(({ operation }) => operation.auth).filter((auth) => auth !== 'host')).toEqual([])
})

const echoed = entries.flatMap(({ route, operation: { id, body } }) => {
  const [request] = Object.values(body?.samples ?? {}) as Fields[]
  const [response] = Object.values(listRecordedSamples(id, 200) ?? {}) as Fields[]
  const isJson = body?.type === undefined
  return isJson && request && response ? [{ route, request, response }] : []
})

test.each(echoed)('$route returns what its first sample sends', ({ request, response }) => {
  // Settings of the story that are there before it: a webhook answers with its own, whole.
  const inner = { ...(response.instance as Fields), ...(response.content as Fields) }
  const names = ['text', 'name', 'address', 'latitude', 'longitude', 'kind', 'url', 'events', 'enabled']
  const both = names.filter((name) => name in request && (name in response || name in inner))
  const pairs = both.map((name) => [name, name in inner ? inner[name] : response[name]])
  // 'all' asks for each event. An instance that has not asked for its past ignores `history`, and says so.
  const { ignoredEvents = [] } = { ...inner, ...response } as { ignoredEvents?: string[] }
  const every = response.scope === 'server' ? [...deliveredEvents, ...operatorEvents] : deliveredEvents
  const all = every.filter((event) => !ignoredEvents.includes(event))
  expect(ignoredEvents).toEqual(ignoredEvents.filter((event) => event === 'history'))
  expect(Object.fromEntries(pairs)).toEqual(
    Object.fromEntries(both.map((name) => [name, request[name] === 'all' ? all : request[name]])),
  )
  // An id that was not given is none.
  if ('track_id' in response) expect(response.track_id).toBe(request.track_id ?? '')
})

type Fields = Record<string, unknown>

/** A server that records its requests, and gives each the same response. */
async function startRecorder() {
  const requests: RecordedRequest[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { method, url, headers } = request
    requests.push({
      method,
      url,
      credential: headers.admintoken ?? headers.token ?? '',
      keyed: /^[\w-]{16,}$/.test(String(headers['idempotency-key'] ?? '')),
      body: body && headers['content-type'] === 'application/json' ? JSON.parse(body) : body || undefined,
    })
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const closeServer = () => new Promise((resolve) => server.close(resolve))
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, closeServer }
}
