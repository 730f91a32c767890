// Bodies that are no JSON: they are not parsed, and pass through the edge piece by piece.

import type { RequestBody } from '@msgnet/shared/api/route-declaration.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { FileContent } from '../media/file-content.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { createReadingCharge, rejectSpentBodies } from './body-costs.ts'
import { openBody } from './open-body.ts'
import { findEncodingFault } from './parse-body.ts'
import { readPieces } from './read-body-bytes.ts'

/** A body that is being passed on. */
export interface PassedBody {
  content: FileContent
  /** Resolves once nothing more is read of it. */
  closed: Promise<void>
  /** From now on nothing of it is passed on. Returns whether all of it was. */
  stop(): boolean
}

/** Refuses a body by its headers, before anything of it is read. */
export const createPassedBodyStep = ({ type = '', maxBytes = limits.maxBodyBytes }: RequestBody) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    const length = Number(c.req.header('content-length') ?? 0)
    if (length > maxBytes) throw new Fault('body_too_large')
    const [named = '', ...parameters] = (c.req.header('content-type') ?? '').toLowerCase().split(';')
    if (named.trim() !== type) throw new Fault('unsupported_media_type', `The body must be ${type}.`)
    if (parameters.some(isOtherCharset))
      throw new Fault('unsupported_media_type', 'The body must be in UTF-8.')
    const wrongEncoding = findEncodingFault(c.req.header('content-encoding'))
    if (wrongEncoding) throw wrongEncoding
    rejectSpentBodies(c, c.get('actor'), length)
    await next()
  })

const isOtherCharset = (parameter: string): boolean =>
  /^\s*charset\s*=/.test(parameter) && !/=\s*"?utf-?8"?\s*$/.test(parameter)

/** The body of this request, which is charged to its caller and breaks if it grows over the limit. */
export function passBody(c: Context<EdgeEnv>, maxBytes: number): PassedBody {
  const body = openBody(c)
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let [isWhole, isStopped] = [false, false]
  async function* generatePieces(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    try {
      const onRead = createReadingCharge(c, c.get('actor'))
      if (body) yield* readPieces(body, { maxBytes, onRead })
      if (isStopped) throw new Error('the body is not passed on any more')
      isWhole = true
      c.set('bodyIsRead', true)
    } finally {
      resolve()
    }
  }
  const pieces = generatePieces()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return()
        // It may not have begun.
        resolve()
      },
    },
    { highWaterMark: 0 },
  )
  const stop = () => {
    isStopped = true
    return isWhole
  }
  return { content: new FileContent(stream), closed, stop }
}
