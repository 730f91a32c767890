// A file that a request sends to its host. The code that has taken the body is the only one that refers to it, so that the memory is
// free while the session works.

export type FileBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export class FileContent {
  #body: FileBody | undefined
  /** Ends what its bytes come from, also while some are waited for. */
  readonly stopSource: () => void

  constructor(body: FileBody, stopSource: () => void = () => undefined) {
    this.#body = body
    this.stopSource = stopSource
  }

  /** Works once. */
  takeBody(): FileBody {
    const body = this.#body
    if (!body) throw new Error('a file is taken once')
    this.#body = undefined
    return body
  }

  /** Reads the beginning without taking the rest. */
  async peekBody(
    readFirst: (body: FileBody) => Promise<{ first: Uint8Array; body: FileBody }>,
  ): Promise<Uint8Array> {
    const { first, body } = await readFirst(this.takeBody())
    this.#body = body
    return first.slice()
  }

  async cancelBody(): Promise<void> {
    const body = this.takeBody()
    if (!(body instanceof Uint8Array)) await body.cancel().catch(() => undefined)
  }
}
