// Apart from languages.ts, because each language is a file: makes TypeScript of a request, for Node and browsers, without packages.

import type { SampleRequest } from './sample-request.ts'

const endings = {
  json: 'console.log(response.status, await response.json())',
  text: 'console.log(response.status, await response.text())',
  bytes: 'console.log(response.status, (await response.arrayBuffer()).byteLength)',
  stream: `for await (const text of response.body!.pipeThrough(new TextDecoderStream())) console.log(text)`,
}

export function writeTypescript({
  method,
  url,
  credential,
  keyed,
  body,
  bodyType,
  responseKind,
}: SampleRequest): string {
  const headers = [
    credential && `${credential.header}: process.env.${credential.variable} ?? '',`,
    body !== undefined && `'content-type': '${bodyType}',`,
    keyed && "'idempotency-key': crypto.randomUUID(),",
  ].filter(Boolean)
  const options = [
    method !== 'GET' && `  method: '${method}',`,
    headers.length > 0 && `  headers: {\n    ${headers.join('\n    ')}\n  },`,
    body !== undefined && `  body: ${writeBody(body)},`,
  ].filter(Boolean)
  const fixed = url.every(({ text }) => text !== undefined)
  const address = url.map(({ text, variable }) => text ?? `\${process.env.${variable}}`).join('')
  const urlLiteral = fixed ? `'${address}'` : `\`${address}\``
  const fetchOptions = options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''
  return `const response = await fetch(${urlLiteral}${fetchOptions})\n${endings[responseKind]}\n`
}

const writeBody = (body: unknown): string =>
  typeof body === 'string'
    ? JSON.stringify(body)
    : `JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')})`
