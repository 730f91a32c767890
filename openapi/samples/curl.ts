// Apart from languages.ts, because each language is a file: makes a curl command of a request, to be pasted into a shell.

import type { SampleRequest } from './sample-request.ts'

const flags = { json: '', text: '', stream: ' -N', bytes: ' -o file' }

export function writeCurl({
  method,
  url,
  credential,
  keyed,
  body,
  bodyType,
  responseKind,
}: SampleRequest): string {
  const hasBody = body !== undefined
  const verb = method === 'GET' || (method === 'POST' && hasBody) ? '' : ` -X ${method}`
  const bare = url.map(({ text, variable }) => text ?? `$${variable}`).join('')
  const address = bare.includes('?') ? `"${bare}"` : bare
  const lines = [
    `curl${flags[responseKind]}${verb} ${address}`,
    credential && `-H "${credential.header}: $${credential.variable}"`,
    keyed && '-H "Idempotency-Key: $(uuidgen)"',
    hasBody && `-H 'content-type: ${bodyType}'`,
    hasBody && writeData(body),
  ]
  return lines.filter(Boolean).join(' \\\n  ')
}

function writeData(body: unknown): string {
  // `-d` takes the ends of lines out.
  if (typeof body === 'string') return `--data-binary '${escapeSingleQuotes(body)}'`
  return `-d '${escapeSingleQuotes(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}'`
}

const escapeSingleQuotes = (text: string) => text.replaceAll("'", "'\\''")
