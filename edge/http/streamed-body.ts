// Bodies that are made while they are sent, only as fast as the caller reads them.

import { encodeUtf8 } from '../runtime/bytes.ts'

/**
 * `describeFailure` gets an error of the parts and returns the last part in place of the others. Without it the connection breaks off, and
 * the caller sees that the body is not whole.
 */
export function streamBody(
  parts: AsyncGenerator<string>,
  describeFailure?: (error: unknown) => string,
): ReadableStream<Uint8Array> {
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { value, done } = await parts.next()
        if (done) return controller.close()
        controller.enqueue(encodeUtf8(value))
      } catch (error) {
        if (!describeFailure) throw error
        controller.enqueue(encodeUtf8(describeFailure(error)))
        controller.close()
      }
    },
    async cancel() {
      await parts.return(undefined)
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

type Bytes = Uint8Array<ArrayBuffer>

/** The list as JSON, of pages of records with commas between them. A list of one page is whole. `ends`: what is before and after the records. */
export async function writeList<Whole>(
  pages: AsyncGenerator<string>,
  writeWhole: (page: string) => Whole,
  ends: Ends = ['[', ']'],
): Promise<Whole | ReadableStream<Uint8Array>> {
  const first = (await pages.next()).value ?? ''
  const second = await pages.next()
  if (second.done) return writeWhole(first)
  return streamBody(joinPages([first, second.value], pages, ends))
}

/** Parts of a short body are waited for: it is whole, and its refusal is a response. */
const PARTS_AT_FIRST = 4

/** The body of these parts, begun after the first of them. */
export async function sendParts(
  parts: AsyncGenerator<string, void>,
): Promise<string | ReadableStream<Uint8Array>> {
  const first: string[] = []
  for (let n = 0; n < PARTS_AT_FIRST; n++) {
    const { value, done } = await parts.next()
    if (done) return first.join('')
    first.push(value)
  }
  return streamBody(continueParts(first.join(''), parts))
}

async function* continueParts(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

type Ends = readonly [before: string, after: string]

/** For the pages of `writeList`. */
export const writePage = (records: unknown[]): string => JSON.stringify(records).slice(1, -1)

/** For `writeList`. */
export const joinWhole = (page: string): string => `[${page}]`

let lastEncoded = { page: '', bytes: encodeUtf8('[]') }

/** As `joinWhole`, for lists that are mostly asked again unchanged: the same bytes then, because to copy them costs more than all the rest. */
export function encodeWhole(page: string): Bytes {
  if (page !== lastEncoded.page) lastEncoded = { page, bytes: encodeUtf8(joinWhole(page)) }
  return lastEncoded.bytes
}

async function* joinPages(
  begun: string[],
  rest: AsyncGenerator<string>,
  [before, after]: Ends,
): AsyncGenerator<string> {
  yield before + begun.join()
  for await (const page of rest) yield `,${page}`
  yield after
}
