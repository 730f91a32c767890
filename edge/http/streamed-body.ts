// Bodies that are made while they are sent, only as fast as the caller reads them.

import { encodeUtf8 } from '../bytes.ts'

/**
 * `failed` gets an error of the parts and returns the last part in place of the others. Without it the connection breaks off, and
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

/** The list as JSON, of pages of records with commas between them. A list of one page is a text. */
export async function writeList(pages: AsyncGenerator<string>): Promise<string | ReadableStream<Uint8Array>> {
  const first = (await pages.next()).value ?? ''
  const second = await pages.next()
  if (second.done) return `[${first}]`
  return streamBody(joinPages([first, second.value], pages))
}

async function* joinPages(begun: string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield `[${begun.join()}`
  for await (const page of rest) yield `,${page}`
  yield ']'
}
