// Takes the place of the shims of the tools' package in what is uploaded to Cloudflare (`alias` in cli/build/bundle-worker.ts): without its validator of JSON Schema, 22 KiB
// that only requests of a server to its client use, of which there are none here.

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('the edge asks no client for input')
  }
}

/** For a transport by standard input and output, which a worker has not. */
export const process = {}
