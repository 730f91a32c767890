// Imports beside other work: their keys are stored in small commits, and a body that does not get on gives its place to one that waits.

import { ImportTurns } from '@msgnet/session-host/actions/import-turns.ts'
import { CredentialReplacement, MAX_IMPORTED_ROWS } from '@msgnet/session-host/store/credential-store.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Sealer } from '@msgnet/shared/seal.ts'
import { expect, test } from 'vitest'

const open = { seal: async (value: Uint8Array) => value } as unknown as Sealer
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
