// Makes PHP code of a request, without any extension.

import type { SampleRequest } from './sample-request.ts'

export function writePhp({
  method,
  url,
  credential,
  keyed,
  body,
  bodyType,
  responseKind,
}: SampleRequest): string {
  const address = url
    .map(({ text, variable }) => (text === undefined ? `getenv('${variable}')` : quotePhp(text)))
    .join(' . ')
  const headers = [
    credential && `'${credential.header}: ' . getenv('${credential.variable}'),`,
    body !== undefined && `'content-type: ${bodyType}',`,
    keyed && "'idempotency-key: ' . bin2hex(random_bytes(16)),",
  ].filter(Boolean)
  const options = [
    `    'method' => '${method}',`,
    headers.length > 0 && `    'header' => [\n        ${headers.join('\n        ')}\n    ],`,
    body !== undefined && `    'content' => ${writePhpBody(body)},`,
    `    'ignore_errors' => true,`,
  ].filter(Boolean)
  const context = `$context = stream_context_create(['http' => [\n${options.join('\n')}\n]]);`
  if (responseKind === 'stream')
    return `<?php
${context}
$stream = fopen(${address}, 'r', false, $context);
while (($line = fgets($stream)) !== false) {
    echo $line;
}
`
  return `<?php
${context}
$answer = file_get_contents(${address}, false, $context);
echo $http_response_header[0], "\\n", ${responseKind === 'bytes' ? 'strlen($answer)' : '$answer'}, "\\n";
`
}

const writePhpBody = (body: unknown): string =>
  typeof body === 'string' ? quotePhp(body) : `json_encode(${writePhpLiteral(body, '    ')})`

const quotePhp = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function writePhpLiteral(value: unknown, indent: string): string {
  const inner = `${indent}    `
  if (typeof value === 'string') return quotePhp(value)
  if (Array.isArray(value)) return `[${value.map((one) => writePhpLiteral(one, inner)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}${quotePhp(name)} => ${writePhpLiteral(field, inner)},\n`,
  )
  return `[\n${fields.join('')}${indent}]`
}
