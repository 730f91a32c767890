// The samples of the documentation in every language, run by what interprets them: each asks what the document says it asks.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { entries } from '../../openapi/document.ts'
import { SAMPLE_ORIGIN } from '../../openapi/origin.ts'
import { askOf } from '../../openapi/samples/ask.ts'
import { languages } from '../../openapi/samples/languages.ts'
import { recordedSamples } from '../../openapi/samples/recorded.ts'
import { sampleBodies } from '../../openapi/samples/sampled.ts'
import { deliveredEvents } from '../../shared/contract/events.ts'
import { runs } from '../programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'samples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const environment = { ADMIN: 'mga_admin', TOKEN: 'mgi_token', ID: 'the-id', FILE: 'the-file' }

interface Asked {
  method: string | undefined
  url: string | undefined
  credential: unknown
  keyed: boolean
  body: unknown
}

const all = entries.flatMap((entry) => sampleBodies(entry).map(({ body }) => ({ entry, body })))

const wanted: Asked[] = all.map(({ entry: { method, path, operation }, body }) => ({
  method,
  url: path.replace('{id}', environment.ID) + (operation.id === 'serveMedia' ? '?file=the-file' : ''),
  credential: { admin: environment.ADMIN, instance: environment.TOKEN, none: '', host: '' }[operation.auth],
  keyed: operation.idempotent !== undefined,
  body: JSON.stringify(body) === '{}' ? undefined : body,
}))

/** Files with the samples, and one that runs them one after another. */
const runners = {
  curl: {
    ...{ program: 'bash', probe: ['-c', 'command -v curl'], ending: 'sh' },
    // The machine may be without the tool that makes up keys.
    main: (files: string[]) =>
      [
        'set -e',
        'if ! command -v uuidgen; then uuidgen() { cat /proc/sys/kernel/random/uuid; }; fi',
        ...files.map((file) => `. ./${file}`),
      ].join('\n'),
  },
  typescript: {
    ...{ program: process.execPath, probe: ['--version'], ending: 'ts' },
    main: (files: string[]) => files.map((file) => `await import('./${file}')`).join('\n'),
  },
  python: {
    ...{ program: 'python3', probe: ['--version'], ending: 'py' },
    main: (files: string[]) => files.map((file) => `exec(open("${file}").read(), {})`).join('\n'),
  },
  php: {
    ...{ program: 'php', probe: ['--version'], ending: 'php' },
    main: (files: string[]) => `<?php\n${files.map((file) => `require '${file}';`).join('\n')}`,
  },
}

describe.each(Object.keys(languages) as (keyof typeof languages)[])('in %s', (name) => {
  const { program, probe, ending, main } = runners[name]
  const missing = runs(program, probe) ? '' : `${program} is not on this machine`

  test('every sample asks what its operation takes', async ({ skip }) => {
    if (missing) skip(missing)
    const server = await recorder()
    const place = join(folder, name)
    mkdirSync(place)
    writeFileSync(join(place, 'package.json'), '{"type":"module"}')
    const files = all.map(({ entry, body }, index) => {
      const file = `${String(index).padStart(3, '0')}-${entry.operation.id}.${ending}`
      const text = languages[name].write(askOf(entry, body)).replaceAll(SAMPLE_ORIGIN, server.url)
      writeFileSync(join(place, file), text)
      return file
    })
    writeFileSync(join(place, `main.${ending}`), main(files))
    await promisify(execFile)(program, [`main.${ending}`], {
      ...{ cwd: place, env: { PATH: process.env.PATH, ...environment }, timeout: 50_000 },
    })
    await server.close()
    expect(server.asked).toEqual(wanted)
  })
})

test('the samples are of every operation that callers and operators ask', () => {
  const sampled = new Set(all.map(({ entry }) => entry.operation.id))
  const others = entries.filter(({ operation }) => !sampled.has(operation.id))
  expect(others.map(({ operation }) => operation.auth).filter((auth) => auth !== 'host')).toEqual([])
})

const echoed = entries.flatMap(({ route, operation: { id, body } }) => {
  const [asked] = Object.values(body?.samples ?? {}) as Fields[]
  const [told] = Object.values(recordedSamples(id, 200) ?? {}) as Fields[]
  return asked && told ? [{ route, asked, told }] : []
})

test.each(echoed)('$route answers what its first sample sends', ({ asked, told }) => {
  // Settings of the story that are there before it: a webhook answers with its own, whole.
  const inner = { ...(told.instance as Fields), ...(told.content as Fields) }
  const names = ['text', 'name', 'address', 'latitude', 'longitude', 'kind', 'url', 'events', 'enabled']
  const both = names.filter((name) => name in asked && (name in told || name in inner))
  const said = both.map((name) => [name, name in inner ? inner[name] : told[name]])
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(both.map((name) => [name, asked[name] === 'all' ? deliveredEvents : asked[name]])),
  )
  // An id that was not given is none.
  if ('track_id' in told) expect(told.track_id).toBe(asked.track_id ?? '')
})

type Fields = Record<string, unknown>

/** A server that notes what it is asked, and answers each the same. */
async function recorder() {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { method, url, headers } = request
    asked.push({
      ...{ method, url, credential: headers.admintoken ?? headers.token ?? '' },
      keyed: /^[\w-]{16,}$/.test(String(headers['idempotency-key'] ?? '')),
      body: body && headers['content-type'] === 'application/json' ? JSON.parse(body) : body || undefined,
    })
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise((resolve) => server.close(resolve))
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
