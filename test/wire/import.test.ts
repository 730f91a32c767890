// A device that the unmodified library has linked elsewhere moves in: it connects without a code, and everything goes on.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { BufferJSON } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createNumber, type Device, waitUntilConnected } from '../device.ts'
import {
  createAccount,
  importLines,
  type Move,
  moveIn,
  talkAfter,
  talkBefore,
  writeFrom,
} from '../imported-account.ts'
import type { Receiver } from '../receiver.ts'
import { borrowStage, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import type { SharedWorld } from '../world.ts'
import type { Client } from './client.ts'
import { joinLines, writeImportLines } from './memory-keys.ts'
import { linkMovingClient, toMoving } from './moving-client.ts'

const MIB = 1024 * 1024
const SESSION = '5511900000001.0'

let world: SharedWorld
let receiver: Receiver
const clients: Client[] = []

beforeAll(async () => {
  ;({ world, receiver } = await borrowStage())
})
afterAll(() => {
  for (const client of clients) client.end()
})

async function linkClient(number: string): Promise<Client> {
  const client = await linkMovingClient(world, number)
  clients.push(client)
  return client
}

const toStream = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  Readable.toWeb(Readable.from(pieces)) as ReadableStream<Uint8Array>

const writeLines = ({ auth, keys }: Client, account: string): string[] =>
  writeImportLines({ account, creds: auth.creds, keys, replacer: BufferJSON.replacer })

/** Linked, with something said, and ended. */
async function createMove(
  wish: { lidMigrated?: boolean } = {},
): Promise<{ move: Move; client: Client; lines: string[] }> {
  const move = await createAccount(world, wish)
  const client = await linkClient(move.number)
  await talkBefore(world, toMoving(client), move)
  client.end()
  return { move, client, lines: writeLines(client, `${move.number}@s.msgnet.net`) }
}

describe('a device that the library has linked', () => {
  test.each([{ lidMigrated: false }, { lidMigrated: true }])(
    'moves in, and goes on both ways with people and in groups: %o',
    async (wish) => {
      const { move, lines } = await createMove(wish)
      const device = await moveIn(world, receiver, move, joinLines(lines))
      await talkAfter(world, receiver, device, move)
      const again = await importLines(device, joinLines(lines))
      expect([again.status, again.body.error]).toEqual([409, 'session_conflict'])
      await device.caller.post('/instance/restart')
      await waitUntilConnected(device)
    },
  )

  test('what was written while nobody was connected comes after it has moved in', async () => {
    const { move, lines } = await createMove()
    await writeFrom(world, move.friend, move.number, 'written meanwhile')
    const device = await moveIn(world, receiver, move, joinLines(lines))
    const isMeanwhile = (envelope: Seen) =>
      envelope.instanceId === device.id && envelope.message?.text === 'written meanwhile'
    await until(() => receiver.deliveries.some(({ envelope }) => isMeanwhile(envelope as Seen)))
  })

  test('while the other program still runs it is replaced, does not fight, and the other goes on', async () => {
    const { move, lines, client } = await createMove()
    const device = await moveIn(world, receiver, move, joinLines(lines))
    client.connect()
    await client.waitUntilOpen()
    await until(
      async () => {
        const { instance } = (await device.caller.get('/instance/status')).body
        return instance.status === 'disconnected' && instance.lastDisconnectReason === 'replaced'
      },
      { within: 10_000 },
    )
    await writeFrom(world, move.friend, move.number, 'for the other program')
    await until(() => toMoving(client).listTexts().includes('for the other program'))
    const { instance } = (await device.caller.get('/instance/status')).body
    expect(instance).toMatchObject({ status: 'disconnected', lastDisconnectReason: 'replaced' })
    client.end()
  })

  test('of its keys nothing lies open in the folder of the gateway', async () => {
    const { move, client, lines } = await createMove()
    await moveIn(world, receiver, move, joinLines(lines))
    const { noiseKey, signedIdentityKey, signedPreKey, advSecretKey } = client.auth.creds
    const keys = [noiseKey, signedIdentityKey, signedPreKey.keyPair].map((pair) => Buffer.from(pair.private))
    const secrets = [...keys, Buffer.from(advSecretKey, 'base64')]
    const traces = secrets.flatMap((secret) => [secret, Buffer.from(secret.toString('base64'))])
    const files = readdirSync(world.dataDir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(world.dataDir, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    expect(files.some((path) => path.endsWith('host.db'))).toBe(true)
    const open = files.filter((path) => traces.some((trace) => readFileSync(path).includes(trace)))
    expect(open).toEqual([])
  })

  test('an admin imports by id, and acting for the instance; each is in the audit log', async () => {
    const [byId, acting] = [await createMove(), await createMove()]
    const [one, other] = [await createDevice(world), await createDevice(world)]
    const type = { 'content-type': 'application/x-ndjson' }
    const answers = [
      await world.admin.request('POST', `/v1/instances/${one.id}/import`, joinLines(byId.lines), type),
      await world.admin.request('POST', '/instance/import', joinLines(acting.lines), {
        ...type,
        instance: other.id,
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { entries } = (await world.admin.get('/v1/audit?limit=50')).body
    const imports = entries.filter(({ action }: Seen) => action === 'instance.import')
    expect(imports.map(({ target, outcome }: Seen) => [target, outcome])).toEqual(
      expect.arrayContaining([
        [one.id, 'done'],
        [other.id, 'done'],
      ]),
    )
  })
})

describe('a body that cannot be used', () => {
  let lines: string[]
  let device: Device
  let number: string

  beforeAll(async () => {
    const made = await createMove()
    lines = made.lines
    number = made.move.number
    device = await createDevice(world)
  })

  const change = (at: number, change: (line: Seen) => unknown): string[] =>
    lines.map((line, n) => (n === at ? JSON.stringify(change(JSON.parse(line))) : line))
  const withoutField = (field: string) =>
    change(1, (line) => ({ ...line, value: { ...line.value, [field]: undefined } }))
  const last = () => lines.length

  test.each<[string, () => string[], () => RegExp]>([
    ['no lines', () => [], () => /^Line 1: /],
    [
      'another form',
      () => change(0, (head) => ({ ...head, format: 'whatsmeow' })),
      () => /^Line 1: format must be/,
    ],
    ['no account', () => change(0, ({ format }) => ({ format })), () => /^Line 1: account /],
    [
      'another account',
      () => change(0, (head) => ({ ...head, account: `${createNumber()}@s.msgnet.net` })),
      () => /^Line 2: value\.me\.id is of another account/,
    ],
    ['no JSON', () => lines.with(3, '{"kind":'), () => /^Line 4: It is not valid JSON/],
    ['an empty line', () => lines.toSpliced(3, 0, ''), () => /^Line 4: It is not valid JSON/],
    ['no object', () => lines.with(3, '7'), () => /^Line 4: It must be a JSON object/],
    ['a list', () => lines.with(3, '[]'), () => /^Line 4: It must be a JSON object/],
    [
      'creds that do not come first',
      () => [lines[0], lines[2], lines[1], ...lines.slice(3)].map(String),
      () => /^Line 2: The first row must be creds/,
    ],
    [
      'creds that come twice',
      () => lines.toSpliced(2, 0, lines[1] ?? ''),
      () => /^Line 3: There is a row of creds already/,
    ],
    [
      'a device that was never linked',
      () => withoutField('account'),
      () => /^Line 2: value\.account is missing/,
    ],
    ['creds without a key', () => withoutField('noiseKey'), () => /^Line 2: value\.noiseKey is missing/],
    [
      'a key that is too short',
      () =>
        change(1, ({ value, ...row }) => ({
          ...row,
          value: { ...value, noiseKey: { ...value.noiseKey, private: { type: 'Buffer', data: 'AAAA' } } },
        })),
      () => /^Line 2: value\.noiseKey\.private must have 32 bytes/,
    ],
    [
      'a kind that the library does not have',
      () => change(2, (row) => ({ ...row, kind: 'pre-keys' })),
      () => /^Line 3: kind must be/,
    ],
    ['a row twice', () => lines.toSpliced(3, 0, lines[2] ?? ''), () => /^Line 4: A row of .+ came before/],
    [
      'a row without a value',
      () => change(2, (row) => ({ ...row, value: null })),
      () => /^Line 3: value is missing/,
    ],
    [
      'a session that is none',
      () => change(2, (row) => ({ ...row, kind: 'session', id: SESSION, value: { _sessions: { a: {} } } })),
      () => /^Line 3: value\._sessions\[0\]\.currentRatchet is missing/,
    ],
    [
      'a session without sessions',
      () => change(2, (row) => ({ ...row, kind: 'session', id: SESSION, value: { _sessions: null } })),
      () => /^Line 3: value\._sessions must be a JSON object/,
    ],
    [
      'a wrong number of rows',
      () => change(last() - 1, (end) => ({ ...end, rows: 1 })),
      () => new RegExp(`^Line ${last()}: It says 1 rows`),
    ],
    ['a body that is torn', () => lines.slice(0, -1), () => new RegExp(`^Line ${last()}: It is missing`)],
    [
      'a row behind the last line',
      () => [...lines, lines[2] ?? ''],
      () => new RegExp(`^Line ${last() + 1}: It comes after`),
    ],
    [
      'a line that is too large',
      () => change(2, (row) => ({ ...row, more: 'x'.repeat(4 * MIB) })),
      () => /^Line 3: It is larger than 4 MiB/,
    ],
  ])('%s is refused with the number of its line, and nothing is stored', async (_, write, expected) => {
    const answer = await importLines(device, joinLines(write()))
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_body'])
    expect(answer.body.message).toMatch(expected())
    expect((await device.caller.get('/instance/status')).body.jid).toBe('')
  })

  test('another type, an encoding and too many bytes are refused, with and without a length', async () => {
    const post = (headers: Record<string, string>, body: string | Uint8Array | ReadableStream<Uint8Array>) =>
      fetch(`${world.run.baseUrl}/instance/import`, {
        method: 'POST',
        headers: { token: device.token, 'content-type': 'application/x-ndjson', ...headers },
        body,
        duplex: 'half',
      } as RequestInit)
    const endless = () => {
      const piece = new TextEncoder().encode(`${' '.repeat(MIB)}\n`)
      let left = 66
      return new ReadableStream<Uint8Array>({
        pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
      })
    }
    const answers = await Promise.all([
      post({ 'content-type': 'application/json' }, joinLines(lines)),
      post({ 'content-encoding': 'gzip' }, joinLines(lines)),
      post({ 'content-type': 'application/x-ndjson; charset=utf-16' }, joinLines(lines)),
      post({}, new Uint8Array(64 * MIB + 1)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([415, 415, 415, 413])
    // Its first line is wrong already.
    expect((await post({}, endless())).status).toBe(400)
    const long = async function* () {
      const encoder = new TextEncoder()
      yield encoder.encode(joinLines(lines.slice(0, -1)))
      for (let n = 0; n < 70; n++)
        yield encoder.encode(
          `${JSON.stringify({ kind: 'sender-key-memory', id: `${n}@g.us`, value: {}, more: 'x'.repeat(MIB) })}\n`,
        )
    }
    const tooLong = await post({}, toStream(long()))
    expect([tooLong.status, ((await tooLong.json()) as Seen).error]).toEqual([413, 'body_too_large'])
  })

  test('an instance that is being linked takes no credential, and one whose pairing has ended does', async () => {
    await device.caller.post('/instance/connect')
    const linking = await importLines(device, joinLines(lines))
    expect([linking.status, linking.body.error]).toEqual([409, 'session_conflict'])
    await device.caller.post('/instance/disconnect')
    // Blank lines behind the last one say nothing.
    const stored = await importLines(device, `${joinLines(lines)}\n \r\n`)
    expect([stored.status, stored.body.jid]).toEqual([200, `${number}@s.msgnet.net`])
  })
})
