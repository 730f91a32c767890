// The thread that reads the large lines of an import, one after another.

import { parentPort } from 'node:worker_threads'
import { ImportRow, parseImportLine } from '@msgnet/shared/contract/import-lines.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { CREDS } from '../../../store/credential-store.ts'
import { readRow } from './imported-row.ts'
import type { ReadLine } from './large-rows.ts'

function readLine(line: Uint8Array): ReadLine {
  const parsed = parseImportLine(line)
  if (typeof parsed === 'string') return { problem: parsed }
  const row = ImportRow.safeParse(parsed, issueMessages)
  if (!row.success) return { problem: describeFirstIssue(row.error) }
  if (row.data.kind === CREDS) return { problem: 'There is a row of creds already.' }
  const read = readRow(row.data)
  return typeof read === 'string' ? { problem: read } : read
}

parentPort?.on('message', (line: Uint8Array) => {
  const read = readLine(line)
  parentPort?.postMessage(read, 'problem' in read ? [] : [read.value.buffer])
})
