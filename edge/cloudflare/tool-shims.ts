// Takes the place of the shims of the tools' package in the script for Cloudflare (`alias` in wrangler.toml): without its validator of JSON Schema, 22 KiB
// that only requests of a server to its client use, of which there are none here.

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('the edge asks no client for input')
  }
}

/** For a transport by standard input and output, which a worker has not. */
export const process = {}
