// Makes Python code of a request, with the standard library only.

import type { SampleRequest } from './sample-request.ts'

const endings = {
  json: 'print(answer.status, json.load(answer))',
  text: 'print(answer.status, answer.read().decode())',
  bytes: 'print(answer.status, len(answer.read()))',
  stream: 'for line in answer:\n        print(line.decode(), end="")',
}

export function writePython({
  method,
  url,
  credential,
  keyed,
  body,
  bodyType,
  responseKind,
}: SampleRequest): string {
  const fixed = url.every(({ text }) => text !== undefined)
  const address = url.map(({ text, variable }) => text ?? `{os.environ['${variable}']}`).join('')
  const headers = [
    credential && `"${credential.header}": os.environ["${credential.variable}"],`,
    body !== undefined && `"content-type": "${bodyType}",`,
    keyed && '"idempotency-key": str(uuid.uuid4()),',
  ].filter(Boolean)
  const modules = [
    ((body !== undefined && typeof body !== 'string') || responseKind === 'json') && 'json',
    (credential || !fixed) && 'os',
    'urllib.request',
    keyed && 'uuid',
  ].filter(Boolean)
  const lines = [
    `    ${fixed ? '' : 'f'}"${address}",`,
    method !== 'GET' && `    method="${method}",`,
    headers.length > 0 && `    headers={\n        ${headers.join('\n        ')}\n    },`,
    body !== undefined && `    data=${writePythonBody(body)}.encode(),`,
  ].filter(Boolean)
  return `import ${modules.join(', ')}

request = urllib.request.Request(
${lines.join('\n')}
)
with urllib.request.urlopen(request) as answer:
    ${endings[responseKind]}
`
}

const writePythonBody = (body: unknown): string =>
  typeof body === 'string' ? JSON.stringify(body) : `json.dumps(${writePythonLiteral(body, '    ')})`

/** Like JSON, except for three words. */
function writePythonLiteral(value: unknown, indent: string): string {
  const inner = `${indent}    `
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map((one) => writePythonLiteral(one, inner)).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}${JSON.stringify(name)}: ${writePythonLiteral(field, inner)},\n`,
  )
  return `{\n${fields.join('')}${indent}}`
}
