// An operation as a command line that can be pasted into a shell.

import type { Entry } from '../document.ts'
import { SAMPLE_ORIGIN } from '../origin.ts'
import { type Html, html } from './html.ts'

const credentials = {
  admin: 'admintoken: $ADMIN',
  instance: 'token: $TOKEN',
  host: 'authorization: Bearer $HOST_TOKEN',
  none: undefined,
}

/** The page's script puts the address of its own server in its place. */
const origin = html`<span class="origin">${SAMPLE_ORIGIN}</span>`

export function curl({ method, path, operation }: Entry, body: unknown): Html {
  const { auth, idempotent } = operation
  const credential = credentials[auth]
  const hasBody = body !== undefined && JSON.stringify(body) !== '{}'
  const verb = method === 'GET' || (method === 'POST' && hasBody) ? '' : ` -X ${method}`
  const lines = [
    html`curl${verb} ${origin}${path.replace('{id}', '$ID')}`,
    credential && html`-H "${credential}"`,
    idempotent !== undefined && html`-H "Idempotency-Key: $(uuidgen)"`,
    hasBody && html`-H 'content-type: application/json'`,
    hasBody && html`-d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}'`,
  ].filter((line) => line !== false && line !== undefined)
  return html`${lines.map((line, index) => [index > 0 && ' \\\n  ', line])}`
}
