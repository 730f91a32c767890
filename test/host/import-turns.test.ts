// Imports beside other work: their keys are stored in small commits, and a body that does not get on gives its place to one that waits.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ImportTurns } from '@msgnet/session-host/actions/import-turns.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { deleteMessages } from '@msgnet/session-host/store/chat-store.ts'
import {
  CredentialReplacement,
  createCredentialStore,
  MAX_IMPORTED_ROWS,
} from '@msgnet/session-host/store/credential-store.ts'
import { deleteInTurns, MAX_DELETED_ROWS } from '@msgnet/session-host/store/delete-in-turns.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { claimSession } from '@msgnet/session-host/store/session-store.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Sealer } from '@msgnet/shared/seal.ts'
import { expect, test } from 'vitest'

const open = {
  seal: async (value: Uint8Array) => value,
  open: async (value: Uint8Array) => value,
} as unknown as Sealer
const never = new AbortController().signal

const makeKeys = (count: number, bytes: number) => [
  { kind: 'creds', id: '', value: new Uint8Array(bytes) },
  ...Array.from({ length: count }, (_, n) => ({ kind: 'session', id: `${n}`, value: new Uint8Array(bytes) })),
]

const countRows = (statement: Statement): number =>
  typeof statement === 'object' && 'sql' in statement
    ? (statement.sql.match(/\(\?, \?, \?, \?\)/g) ?? []).length
    : 0

async function storeKeys(count: number, bytes: number): Promise<number[]> {
  const commits: number[] = []
  const replacement = new CredentialReplacement(open, 'one', makeKeys(count, bytes))
  const commitFor = async (_: string, statements: Statement[]) => {
    commits.push(statements.reduce((sum, one) => sum + countRows(one), 0))
  }
  await replacement.storeKeys({ commitFor }, never)
  return commits
}

test('no commit of an import has many rows, however many there are, nor many bytes', async () => {
  const small = await storeKeys(1000, 100)
  // The first has its mark only.
  expect(small.reduce((sum, rows) => sum + rows, 0)).toBe(1001)
  expect(Math.max(...small)).toBe(MAX_IMPORTED_ROWS)
  expect(Math.max(...(await storeKeys(50, 60_000)))).toBe(2)
})

test('an import that is ended stores no further rows, and its creds never came', async () => {
  const ended = new AbortController()
  const commits: number[] = []
  const replacement = new CredentialReplacement(open, 'one', makeKeys(1000, 100))
  const commitFor = async (_: string, statements: Statement[]) => {
    commits.push(statements.length)
    if (commits.length === 3) ended.abort()
  }
  await expect(replacement.storeKeys({ commitFor }, ended.signal)).rejects.toThrow('aborted')
  expect(commits).toHaveLength(3)
})

test('no commit of the deletion of a device or its messages has many rows, and one that is cut off leaves no device', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'deletion-'))
  const own = await openStore(join(folder, 'host.db'), () => undefined)
  const store = new FencedStore(own, { runs: true }, '')
  try {
    await claimSession(store, { instance: 'one', epoch: 1, kind: 'msgnet' })
    const keys = makeKeys(2000, 100)
    const replacement = new CredentialReplacement(open, 'one', keys)
    await replacement.storeKeys(store, never)
    await store.commitFor('one', await replacement.end())
    await own.commit([
      {
        sql: `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
          INSERT INTO messages (instance, messageid, chatid, at, from_me, unread, record)
          SELECT 'one', n, iif(n % 2, 'chat', 'another chat'), n, 0, 0, '{}' FROM n`,
        args: [],
      },
    ])
    const count = async (table: string) =>
      Number((await own.rows(`SELECT count(*) AS n FROM ${table}`))[0]?.n)
    const deleted: number[] = []
    let before = (await count('credentials')) + (await count('messages'))
    let cutOffAfter = 3
    const counting = {
      rows: store.rows.bind(store),
      async commitFor(instance: string, statements: Statement[]) {
        await store.commitFor(instance, statements)
        const now = (await count('credentials')) + (await count('messages'))
        deleted.push(before - now)
        before = now
        cutOffAfter -= 1
        if (cutOffAfter === 0) throw new Error('cut off')
      },
    }
    const credentials = createCredentialStore(counting as unknown as FencedStore, open, createSilentLog())
    await expect(credentials.deleteAll('one')).rejects.toThrow('cut off')
    expect((await credentials.read('one', 'creds', [''])).size).toBe(0)
    // As the next start does.
    const torn = await own.rows("SELECT 1 FROM credentials WHERE instance = 'one' AND kind = 'importing'")
    expect([torn.length, (await count('credentials')) > 1000]).toEqual([1, true])
    await credentials.deleteAll('one')
    expect(await count('credentials')).toBe(0)
    await deleteMessages({ ...counting, db: store.db }, 'one', ['chat', 'its other id'])
    expect(await count('messages')).toBeLessThanOrEqual(500 + MAX_DELETED_ROWS)
    await deleteInTurns(counting, 'one', 'messages')
    expect(await count('messages')).toBeLessThanOrEqual(MAX_DELETED_ROWS)
    expect(Math.max(...deleted)).toBeLessThanOrEqual(MAX_DELETED_ROWS + 1)
    expect(deleted.length).toBeGreaterThan(10)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('two bodies that bring nothing keep no third from its turn', async () => {
  const imports = new ImportTurns(50)
  const silent = (instance: string) =>
    imports.runImport(instance, never, async (paced) => {
      const body = (async function* (): AsyncGenerator<Uint8Array> {
        await new Promise((_, reject) => {
          paced.signal.addEventListener('abort', () => reject(new Error('ended')))
        })
      })()
      const read = async () => {
        for await (const _ of paced.readPieces(body)) expect.unreachable()
      }
      return read().catch(() => 'broken off')
    })
  const both = [silent('one'), silent('other')]
  expect(await imports.runImport('third', never, async () => 'read')).toBe('read')
  const ended = await Promise.race(both)
  expect(ended).toMatchObject({ kind: 'refused', fault: 'invalid_body' })
})
