// The worker thread of large reads: it has its own connection to the file, so commits of the serving thread do not wait for it.

import { parentPort, workerData } from 'node:worker_threads'
import { openLocalFile } from '../../shared/node/local-file.ts'
import type { Query } from '../store/database/statements.ts'
import { execute } from './file-statements.ts'
import type { LargeAnswer } from './large-reads.ts'

const file = openLocalFile(workerData.file)

parentPort?.on('message', (asked: Query[] | 'stop') => {
  if (asked === 'stop') {
    file.close()
    parentPort?.close()
  } else parentPort?.postMessage(answer(asked))
})

function answer(queries: Query[]): LargeAnswer {
  try {
    return { results: queries.map((query) => execute(file, query)) }
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown }
    return { refused: { message, code: String(code ?? '') } }
  }
}
