// The values of a real credential, each made wrong in several ways: such a line is refused with its field, and what is taken works.
// @module-tag slow

import { readImport } from '@msgnet/session-host/actions/read-import.ts'
import { ImportedRows } from '@msgnet/session-host/driver/baileys/keys/imported-rows.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { BufferJSON, Curve } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, type Move, moveIn, talkAfter, talkBefore } from '../imported-account.ts'
import type { Receiver } from '../receiver.ts'
import { borrowStage, type Seen } from '../scene.ts'
import type { SharedWorld } from '../world.ts'
import type { Client } from './client.ts'
import { joinLines, writeImportLines } from './memory-keys.ts'
import { linkMovingClient, toMoving } from './moving-client.ts'

/** Some hundred files are read. */
const limit = { timeout: 3 * MINUTE }

type Path = (string | number)[]

let world: SharedWorld
let receiver: Receiver
let client: Client
let move: Move
/** Of the whole device, and of one with a row of each kind. */
let lines: string[]
let short: string[]

beforeAll(async () => {
  ;({ world, receiver } = await borrowStage())
  move = await createAccount(world)
  client = await linkMovingClient(world, move.number)
  await talkBefore(world, toMoving(client), move)
  client.end()
  const account = `${move.number}@s.msgnet.net`
  lines = writeImportLines({
    account,
    creds: client.auth.creds,
    keys: client.keys,
    replacer: BufferJSON.replacer,
  })
  const rows = lines.slice(1, -1).map((line) => JSON.parse(line))
  const kinds = [...new Set(rows.map(({ kind }) => kind))]
  // The longest has the most fields.
  const chosen = kinds.map((kind) =>
    rows
      .filter((row) => row.kind === kind)
      .map((row) => JSON.stringify(kind === 'sender-key' ? openStates(row) : row))
      .reduce((one, other) => (one.length >= other.length ? one : other)),
  )
  short = [lines[0] ?? '', ...chosen, JSON.stringify({ end: true, rows: chosen.length })]
})
afterAll(() => client.end())

/** In the form of older lines, in which each field of a state is a value of its own. */
const openStates = (row: Seen) => ({
  ...row,
  value: JSON.parse(Buffer.from(row.value.data, 'base64').toString()),
})

/** What is taken all the same, and why that changes nothing. */
const harmless: [RegExp, string][] = [
  [/^creds (lastPropHash|routingInfo) /, 'of the last connection: nothing of it is taken over'],
  [/^session .* null$/, 'the same as none'],
  [/^app-state-sync-key .* null$/, 'the same as none'],
  [/^tctoken token /, 'the network has said what it is'],
  [/^tctoken timestamp 7$/, 'the library takes numbers too'],
]

/** The forms of ids as the library's own lines write them, for the rows of this device. */
const idForms: Record<string, RegExp> = {
  session: /^\d+(_\d)?\.\d+$/,
  'identity-key': /^\d+(_\d)?\.\d+$/,
  'pre-key': /^[1-9]\d*$/,
  'sender-key': /^(\d+@g\.us|status@broadcast)::\d+(_\d)?::\d+$/,
  'sender-key-memory': /^(\d+@g\.us|status@broadcast)$/,
  // Any bytes.
  'app-state-sync-key': /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  'app-state-sync-version': /^(critical_block|critical_unblock_low|regular(_high|_low)?)$/,
  'lid-mapping': /^\d+(_reverse)?$/,
  'device-list': /^\d+$/,
  tctoken: /^(__index|\d+@(s\.whatsapp\.net|lid))$/,
}
const canBeId = (kind: string, id: string): boolean =>
  id !== '' && idForms[kind]?.test(id) === true && !(kind === 'pre-key' && Number(id) > 0xffffff)

/** What is refused, or undefined. */
async function findRefusal(some: string[]): Promise<string | undefined> {
  const body = (async function* () {
    yield new TextEncoder().encode(joinLines(some))
  })()
  const begin = (account: string) => new ImportedRows(account)
  return readImport(body, begin).then(
    () => undefined,
    (error) => error.outcome?.message ?? `not refused: ${error}`,
  )
}

/** Every value that has no values in it, and bytes as one. */
function listLeaves(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || 'data' in value) return [path]
  return Object.entries(value).flatMap(([name, inner]) => listLeaves(inner, [...path, name]))
}

const readAt = (value: Seen, path: Path): unknown => path.reduce((inner, name) => inner[name], value)

function replaceAt(line: string, path: Path, replacement: unknown): string {
  const row = JSON.parse(line)
  const parent = readAt(row.value, path.slice(0, -1)) as Seen
  const last = path.at(-1)
  if (last === undefined) row.value = replacement
  else parent[last] = replacement
  return JSON.stringify(row)
}

const toBytes = (data: unknown) => ({ type: 'Buffer', data })
const isEncoded = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 8 && Buffer.from(value, 'base64').toString('base64') === value

/** What a value cannot be. */
function listWrong(value: Seen): unknown[] {
  if (typeof value === 'number') return [null, 'many', 0.5, { low: 1 }, [], 1e300]
  if (typeof value === 'boolean') return [null, 'true', 1, {}]
  if (isEncoded(value)) return [7, {}, '@@@@', value.slice(0, -4), `${value}AAAA`, `@@${value}`]
  if (typeof value === 'string') return [7, {}, []]
  return [
    7,
    'AAAA',
    {},
    [],
    toBytes('@@@@'),
    toBytes('AAAA'),
    toBytes(`@@${value.data}`),
    toBytes([256]),
    toBytes({}),
  ]
}

describe('a value of another form', () => {
  test('is refused with its line and its field, whatever kind of row it is in', limit, async () => {
    expect(await findRefusal(short)).toBeUndefined()
    const accepted: string[] = []
    let tried = 0
    for (const [at, line] of short.entries()) {
      if (at === 0 || at === short.length - 1) continue
      const { kind, value } = JSON.parse(line)
      for (const path of listLeaves(value))
        for (const wrong of listWrong(readAt(value, path) as Seen)) {
          tried += 1
          const refusal = await findRefusal(short.with(at, replaceAt(line, path, wrong)))
          const name = `${kind} ${path.join('.')} ${JSON.stringify(wrong)}`
          if (!refusal) accepted.push(name)
          else expect([name, refusal]).toEqual([name, expect.stringMatching(`^Line ${at + 1}: value`)])
        }
    }
    expect(tried).toBeGreaterThan(300)
    expect(accepted.filter((name) => !harmless.some(([form]) => form.test(name)))).toEqual([])
  })

  test('of an id is refused with its line, whatever kind of row it is in', limit, async () => {
    const others = short.slice(1, -1).map((line) => JSON.parse(line).id)
    const wrong = ['abc', '../../x', '', '0', '-1', '1.5', '16777216', 'a'.repeat(300), '1 2', '__proto__']
    const tried: string[] = []
    for (const [at, line] of short.entries()) {
      const row = at === 0 || at === short.length - 1 ? undefined : JSON.parse(line)
      if (!row || row.kind === 'creds') continue
      for (const id of [...wrong, ...others, `${row.id}x`, `x${row.id}`, row.id.slice(1)]) {
        const name = `${row.kind} ${JSON.stringify(id)}`
        if (canBeId(row.kind, id)) continue
        tried.push(name)
        const refusal = await findRefusal(short.with(at, JSON.stringify({ ...row, id })))
        expect([name, refusal]).toEqual([name, expect.stringMatching(`^Line ${at + 1}: id must be `)])
      }
    }
    expect(tried.length).toBeGreaterThan(100)
  })

  test.each<[string, () => unknown, string]>([
    ['me.name', () => 'x'.repeat(1001), 'value.me.name must have at most 1000 characters'],
    ['platform', () => 'x'.repeat(100_000), 'value.platform must have at most 1000 characters'],
    ['nextPreKeyId', () => 0xffffff, 'value.nextPreKeyId must be at most 15728640'],
    ['firstUnuploadedPreKeyId', () => 0xffffff, 'value.firstUnuploadedPreKeyId must be at most 15728640'],
    ['myAppStateKeyId', () => 'AAAAAAAA', 'value.myAppStateKeyId is the id of no row of app-state-sync-key'],
    ['noiseKey.private', () => toBytes(createSecret()), 'value.noiseKey.public has halves'],
    ['signedIdentityKey.public', () => toBytes(createPublic()), 'value.signedIdentityKey.public has halves'],
    ['signedPreKey.keyPair.public', () => toBytes(createPublic()), 'value.signedPreKey.keyPair.public has'],
    [
      'signedPreKey.signature',
      () => toBytes(Buffer.alloc(64, 7).toString('base64')),
      'value.signedPreKey.signature is not that of the identity key',
    ],
    ['signedPreKey.keyPair', () => createPair(), 'value.signedPreKey.signature is not that of the identity'],
    ['advSecretKey', () => 'no secret', 'value.advSecretKey must be 32 bytes in base64'],
    ['me.lid', () => 'somebody', 'value.me.lid must be a LID'],
    ['me.id', () => '0:0@s.whatsapp.net', 'value.me.id must be the id of an account'],
    ['account.details', () => '@@AAAA', 'value.account.details must be bytes'],
  ])('of creds: %s', async (path, make, refusal) => {
    const wrong = replaceAt(short[1] ?? '', path.split('.'), make())
    expect((await findRefusal(short.with(1, wrong)))?.slice(0, `Line 2: ${refusal}`.length)).toBe(
      `Line 2: ${refusal}`,
    )
  })

  test.each<[string, (value: Seen) => Seen, string]>([
    [
      'pre-key',
      (value) => ({ ...value, public: toBytes(createPublic()) }),
      'value.public has halves that do not belong together',
    ],
    [
      'session',
      ({ _sessions, ...value }) => ({ ...value, _sessions: { other: Object.values(_sessions)[0] } }),
      'value._sessions[0] must have the name of its baseKey',
    ],
    ['session', (value) => ({ ...value, version: 'v2' }), 'value.version must be v1'],
    ['session', addTo('_chains'), 'value._sessions[0]._chains['],
    ['session', addTo('messageKeys'), 'value._sessions[0]._chains[0].messageKeys['],
    ['device-list', () => ['1', 'all'], 'value[1] must be the number of a device'],
    ['lid-mapping', () => '55119@lid', 'value must be digits'],
  ])('of a field that %s does not have so: %#', async (kind, change, refusal) => {
    const at = short.findIndex((line) => line.includes(`"kind":"${kind}"`))
    const row = JSON.parse(short[at] ?? '')
    const wrong = JSON.stringify({ ...row, value: change(row.value) }).replaceAll('"PROTO"', '"__proto__"')
    const expected = `Line ${at + 1}: ${refusal}`
    expect((await findRefusal(short.with(at, wrong)))?.slice(0, expected.length)).toBe(expected)
  })
})

const createPair = () => {
  const { public: key, private: secret } = Curve.generateKeyPair()
  return { public: toBytes(toText(key)), private: toBytes(toText(secret)) }
}
const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const createPublic = () => toText(Curve.generateKeyPair().public)
const createSecret = () => toText(Curve.generateKeyPair().private)

/** A further entry with a name that JSON.parse takes and an assignment does not. */
function addTo(name: '_chains' | 'messageKeys') {
  return (value: Seen): Seen => {
    const session = Object.values(value._sessions as Seen)[0] as Seen
    const chain = Object.values(session._chains as Seen)[0] as Seen
    const target = name === '_chains' ? session._chains : chain.messageKeys
    target.PROTO = name === '_chains' ? chain : toText(Buffer.alloc(32))
    return value
  }
}

test('what may be left out can be left out, and the device works both ways', async () => {
  const optional = ['pairingEphemeralKeyPair', 'signalIdentities', 'platform', 'lastAccountSyncTimestamp']
  const creds = replaceAt(lines[1] ?? '', ['accountSettings'], undefined)
  const left = optional.reduce((line, field) => replaceAt(line, [field], undefined), creds)
  const device = await moveIn(world, receiver, move, joinLines(lines.with(1, left)))
  await talkAfter(world, receiver, device, move)
})
