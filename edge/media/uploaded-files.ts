// Stores files that are uploaded before they are sent: sealed, in pieces, for an instance.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import {
  completeFile,
  insertFile,
  insertPiece,
  readPiece,
  type UploadedFile,
} from '../store/uploaded-file-queries.ts'
import type { FileLabel } from './file-name.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Each is a transaction of its own, so that others write between two of them. */
const PIECE_BYTES = 256 * 1024

const formatContext = (id: string, place: number): string => `uploaded-file:${id}:${place}`

/** Sixteen digits, of which the first is no 0: programs expect a number. */
function createFileId(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  const digits = (value: number) => String(value % 100_000_000).padStart(8, '0')
  return `${1 + (high % 9)}${digits(high).slice(1)}${digits(low)}`
}

/** Returns the id under which it is found. */
export async function storeFile(c: Context<EdgeEnv>, bytes: Bytes, label: FileLabel): Promise<string> {
  const { store, instance, actor } = c.var
  const id = createFileId()
  const sha256 = await c.env.runtime.cryptography.digest(bytes)
  const owner = { instanceId: instance.id, tokenId: actor.grant?.id ?? '' }
  const row = { ...label, ...owner, id, size: bytes.length, sha256, createdAt: Date.now() }
  await store.write(insertFile(store, row))
  const sealer = await findSealer(c.env, 'edge/uploaded-file')
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const place = at / PIECE_BYTES
    const sealed = await sealer.seal(bytes.slice(at, at + PIECE_BYTES), formatContext(id, place))
    await store.write([insertPiece(id, place, sealed)])
  }
  const [completed] = await store.write([completeFile(store, id)])
  // So many others came meanwhile that this one was among the oldest.
  if (completed?.rowsAffected !== 1) throw new Fault('rate_limited')
  return id
}

/** The bytes, of which one piece at a time is read. It breaks if the file is deleted meanwhile. */
export function streamFile(env: Env, store: Store, { id, size }: UploadedFile): ReadableStream<Uint8Array> {
  const pieces = Math.ceil(size / PIECE_BYTES)
  let place = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (place === pieces) return controller.close()
        const sealed = await readPiece(store, id, place)
        if (!sealed) throw new Fault('media_unavailable')
        const sealer = await findSealer(env, 'edge/uploaded-file')
        controller.enqueue(await sealer.open(sealed, formatContext(id, place)))
        place++
      },
    },
    { highWaterMark: 0 },
  )
}
