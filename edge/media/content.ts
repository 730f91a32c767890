// A file on its way from a request to its host. Whoever has passed it on refers to it no more, so that its memory is free while the session works.

export type Bytes = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export class Content {
  #body: Bytes | undefined

  constructor(body: Bytes) {
    this.#body = body
  }

  /** Once. */
  take(): Bytes {
    const body = this.#body
    if (!body) throw new Error('a file is passed on once')
    this.#body = undefined
    return body
  }

  /** Looks at the beginning without taking the rest. */
  async peek(look: (body: Bytes) => Promise<{ first: Uint8Array; body: Bytes }>): Promise<Uint8Array> {
    const { first, body } = await look(this.take())
    this.#body = body
    return first.slice()
  }

  async cancel(): Promise<void> {
    const body = this.take()
    if (!(body instanceof Uint8Array)) await body.cancel().catch(() => undefined)
  }
}
