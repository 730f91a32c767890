// Large lines of an import, which another thread than that of the sessions reads: they are taken and refused as small ones are.
// @module-tag slow

import { randomBytes } from 'node:crypto'
import { type ReadImport, readImport } from '@msgnet/session-host/actions/read-import.ts'
import { ImportedRows } from '@msgnet/session-host/driver/baileys/keys/imported-rows.ts'
import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'

const limit = { timeout: 3 * MINUTE }
const [head = '', creds = '', preKey = ''] = credentialLines.split('\n')

const toBytes = (count: number) => ({ type: 'Buffer', data: randomBytes(count).toString('base64') })

/** Of an account with so many settings: 30,000 take 4 MB. */
const createVersion = (settings: number) => ({
  version: 7,
  hash: toBytes(128),
  indexValueMap: Object.fromEntries(
    Array.from({ length: settings }, () => [randomBytes(32).toString('base64'), { valueMac: toBytes(32) }]),
  ),
})
const writeRow = (kind: string, id: string, value: unknown, more?: string) =>
  JSON.stringify({ kind, id, value, more })

async function readLines(...rows: string[]): Promise<ReadImport | string> {
  const lines = [head, ...rows, JSON.stringify({ end: true, rows: rows.length })]
  const body = (async function* () {
    // As pieces of a transfer.
    for (const piece of lines.join('\n').match(/.{1,60000}/gs) ?? []) yield new TextEncoder().encode(piece)
  })()
  return readImport(body, (account) => new ImportedRows(account)).catch((error) => error.outcome.message)
}

test('rows of any size between others are stored as they came', limit, async () => {
  const [large, small] = [createVersion(30_000), createVersion(3)]
  const read = await readLines(
    creds,
    writeRow('app-state-sync-version', 'regular', large),
    preKey,
    writeRow('app-state-sync-version', 'regular_low', small),
    writeRow('lid-mapping', '5511900000001', '100000000000001', 'x'.repeat(1_000_000)),
  )
  if (typeof read === 'string') throw new Error(read)
  expect(read.kinds).toEqual({ creds: 1, 'app-state-sync-version': 2, 'pre-key': 1, 'lid-mapping': 1 })
  const stored = read.credential.keys.filter(({ kind }) => kind === 'app-state-sync-version')
  expect(stored.map(({ id }) => id)).toEqual(['regular', 'regular_low'])
  for (const [at, version] of [large, small].entries())
    expect(JSON.parse(Buffer.from(stored[at]?.value ?? []).toString())).toEqual(version)
})

test.each<[string, () => string[], RegExp]>([
  [
    'a value that is wrong',
    () => [creds, writeRow('app-state-sync-version', 'regular', { ...createVersion(2000), version: 'many' })],
    /^Line 3: value\.version /,
  ],
  [
    'an id of another kind',
    () => [creds, writeRow('app-state-sync-version', 'abc', createVersion(2000))],
    /^Line 3: id must be the name of a collection/,
  ],
  [
    'another kind',
    () => [creds, writeRow('unheard', '1', 'x'.repeat(100_000))],
    /^Line 3: kind must be creds or one of/,
  ],
  ['no JSON', () => [creds, `{"kind":"${'x'.repeat(100_000)}`], /^Line 3: It is not valid JSON in UTF-8/],
  ['a list', () => [creds, JSON.stringify(['x'.repeat(100_000)])], /^Line 3: It must be a JSON object/],
  [
    'a row that came before',
    () => [creds, preKey, JSON.stringify({ ...JSON.parse(preKey), more: 'x'.repeat(100_000) })],
    /^Line 4: A row of pre-key with this id came before/,
  ],
  [
    'creds once more',
    () => [creds, JSON.stringify({ ...JSON.parse(creds), more: 'x'.repeat(100_000) })],
    /^Line 3: There is a row of creds already/,
  ],
  [
    'creds that are too large',
    () => [JSON.stringify({ ...JSON.parse(creds), more: 'x'.repeat(300_000) })],
    /^Line 2: It is larger than 256 KiB/,
  ],
])('%s in a large line is refused with its number', limit, async (_, write, refusal) => {
  expect(await readLines(...write())).toMatch(refusal)
})

test(
  'a large line of many small objects or levels is refused, and others are read after it',
  limit,
  async () => {
    const objects = `[${'{},'.repeat(1_300_000)}{}]`
    const levels = `${'{"a":'.repeat(650_000)}1${'}'.repeat(650_000)}`
    for (const value of [objects, levels])
      expect(
        await readLines(creds, `{"kind":"app-state-sync-version","id":"regular","value":${value}}`),
      ).toMatch(/^Line 3: (value|It is not valid)/)
    expect(
      await readLines(creds, writeRow('app-state-sync-version', 'regular', createVersion(2000))),
    ).toMatchObject({
      rows: 2,
    })
  },
)
