// The receivers of cli/receivers/ in three languages, and the signatures that docs/use/webhooks.md publishes: they accept what is signed.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { createSignatureHeaders } from '@msgnet/edge/delivery/signature.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { SECRET as PADDED } from '../device.ts'
import { canRun } from '../optional-programs.ts'
import { until } from '../until.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'receivers-'))
/** As some programs write base64; the gateway takes it for the same secret. */
const SECRET = PADDED.replace(/=+$/, '')
const toBytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the vectors in docs/use/webhooks.md', () => {
  const readme = readFileSync(join(root, 'docs', 'use', 'webhooks.md'), 'utf8')
  const [, id = '', timestamp = '', body = ''] =
    /^id {8}(\S+)\ntimestamp (\d+)\nbody {6}(.+)$/m.exec(readme) ?? []
  const vectors = [...readme.matchAll(/^secret {4}(\S+)\nsignature (v1,\S+)$/gm)]

  test.each(vectors.map(([, secret = '', signature = '']) => ({ secret, signature })))(
    'with $secret match what is sent',
    async ({ secret, signature }) => {
      const headers = await createSignatureHeaders(id, Number(timestamp) * 1000, toBytes(body), [secret])
      expect(headers).toEqual({
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      })
    },
  )

  test('there are two: a secret that is decoded, and one that is not', () => {
    expect(vectors).toHaveLength(2)
  })
})

const languages = [
  {
    language: 'TypeScript',
    program: process.execPath,
    args: () => ['receiver.ts'],
    canDo: ['-e', "require('node:sqlite')"],
  },
  { language: 'Python', program: 'python3', args: () => ['receiver.py'], canDo: ['-c', 'import sqlite3'] },
  {
    language: 'PHP',
    program: 'php',
    args: (port: number) => ['-S', `127.0.0.1:${port}`, 'receiver.php'],
    canDo: ['-r', "new PDO('sqlite::memory:');"],
  },
]

describe.each(languages)('the receiver in $language', ({ language, program, args, canDo }) => {
  const missing = canRun(program, canDo) ? '' : `${program} with SQLite is not on this machine`
  const database = join(folder, `${language}.db`)

  test('accepts what is signed, stores it once and through a kill -9, and refuses the rest', async ({
    skip,
  }) => {
    if (missing) skip(missing)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const receiver = await startReceiverProgram(program, args(port), port, database)
    const event = { id: crypto.randomUUID(), body: '{"EventType":"messages","text":"olá"}' }
    const sendEvent = async (secrets: string[], at = Date.now(), sent = event.body) => {
      const headers = await createSignatureHeaders(event.id, at, toBytes(event.body), secrets)
      return (await fetch(url, { method: 'POST', headers, body: sent })).status
    }
    try {
      expect(await sendEvent([])).toBe(401)
      expect(await sendEvent(['another-secret'])).toBe(401)
      expect(await sendEvent([SECRET], Date.now() - 3_600_000)).toBe(401)
      expect(await sendEvent([SECRET], Date.now(), event.body.replace('olá', 'ola'))).toBe(401)
      expect(readStored(database)).toEqual([])
      expect(await sendEvent([SECRET])).toBe(204)
      expect(await sendEvent(['another-secret', SECRET])).toBe(204)
    } finally {
      receiver.kill('SIGKILL')
    }
    expect(readStored(database)).toEqual([event])
  })
})

async function startReceiverProgram(
  program: string,
  args: string[],
  port: number,
  database: string,
): Promise<ChildProcess> {
  const env = { PATH: process.env.PATH, SECRET, PORT: String(port), DATABASE: database }
  const child = spawn(program, args, { cwd: join(root, 'cli', 'receivers'), env, stdio: 'ignore' })
  await until(() => fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }))
  return child
}

function readStored(file: string): { id: string; body: string }[] {
  try {
    const database = new DatabaseSync(file)
    const rows = database.prepare('select id, body from events').all()
    database.close()
    return rows.map(({ id, body }) => ({ id: String(id), body: String(body) }))
  } catch {
    // Nothing was stored: there is no table.
    return []
  }
}
