// One operation of the reference: what it does, what it takes, what it answers, with samples in every language.

import { getRequiredScope } from '@msgnet/shared/contract/admin-scope.ts'
import type { Entry } from '../document.ts'
import { readErrorCode } from '../error-guide.ts'
import { listOwnFaults } from '../fault-responses.ts'
import { toJsonSchema } from '../json-schemas.ts'
import { listResponses, type Operation } from '../operation-object.ts'
import { findTwin, listSampleBodies, toRequestShape } from '../page/sample-bodies.ts'
import { languages } from '../samples/languages.ts'
import { toSampleRequest } from '../samples/sample-request.ts'
import type { Schema, ShownSchemas } from '../shown-schemas.ts'
import { writeFieldTable, writeType } from './field-rows.ts'
import { escapeProse, writeCode, writeDetails, writeJson } from './prose.ts'

const credentials: Record<Operation['auth'], string> = {
  admin: 'header `admintoken`',
  instance: 'header `token`',
  host: '`authorization: Bearer`, of a session host',
  none: 'none',
}
/** As fences name them. */
const fences: Record<keyof typeof languages, string> = {
  shell: 'sh',
  typescript: 'ts',
  python: 'python',
  php: 'php',
  go: 'go',
}

/** `findPage`: the address of an operation's section. */
export function writeOperation(
  entry: Entry,
  schemas: ShownSchemas,
  findPage: (operation: Operation) => string,
): string {
  const { route, operation } = entry
  const twin = findTwin(entry)
  const fields = twin
    ? [`Fields and responses are those of [\`${twin.route}\`](${findPage(twin.operation)}).`]
    : [...writeInputs(operation, schemas), ...writeResponses(operation, schemas)]
  return [
    `## ${escapeProse(operation.summary)} {#${operation.id}}`,
    `\`${route}\``,
    escapeProse(operation.description ?? ''),
    writeNeeds(operation),
    writeSamples(entry),
    ...fields,
    writeErrors(operation),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function writeNeeds(operation: Operation): string {
  const scope = operation.auth === 'admin' ? getRequiredScope(operation) : operation.tokenScope
  const scoped = scope === undefined || scope === 'own' ? '' : ` of scope ${scope}`
  const needs = [`credential: ${credentials[operation.auth]}${scoped}`]
  if (operation.adminScope) needs.push(`or an admin token of scope ${operation.adminScope}`)
  if (operation.idempotent !== undefined) needs.push('takes an `Idempotency-Key`')
  if (operation.audit) needs.push(`audit log: \`${operation.audit}\``)
  return needs.map((need) => `- ${need}`).join('\n')
}

/** The first sample in every language, the others in the shell. */
function writeSamples(entry: Entry): string {
  const shape = toRequestShape(entry)
  return listSampleBodies(entry)
    .map(({ name, body }, index) => {
      const request = toSampleRequest(shape, body)
      if (index > 0) return writeDetails(`Request: ${name}`, writeCode('sh', languages.shell.write(request)))
      const tabs = Object.entries(languages).map(([key, { title, write }]) =>
        writeCode(fences[key as keyof typeof languages], write(request), title),
      )
      return `::: code-group\n${tabs.join('\n')}\n:::`
    })
    .join('\n\n')
}

function writeInputs(operation: Operation, schemas: ShownSchemas): string[] {
  const { query, header, body } = operation
  const list = (title: string, schema: Schema) => [title, writeFieldTable(schema, schemas, 'caller')]
  const parts: string[] = []
  if (query) parts.push(...list('**Query**', toJsonSchema(query, 'input')))
  if (header) parts.push(...list('**Headers**', toJsonSchema(header, 'input')))
  if (!body) return parts
  if (body.type) return [...parts, `**Body**: \`${body.type}\``]
  const schema = schemas.resolveHere(toJsonSchema(body.schema, 'input'))
  for (const [index, form] of ((schema.anyOf ?? [schema]) as Schema[]).entries())
    parts.push(
      ...list(index > 0 ? 'or' : `**Body**${body.optional ? ', optional' : ''}`, schemas.resolveHere(form)),
    )
  return parts
}

function writeResponses(operation: Operation, schemas: ShownSchemas): string[] {
  return listResponses(operation).flatMap(({ status = 200, description, schema, type, samples = {} }) => {
    const made = schema && !type ? schemas.resolveHere(toJsonSchema(schema, 'output')) : undefined
    const record = made && !made.properties ? ` ${writeType(made, 'gateway')}` : ''
    return [
      `**Response ${status}**: ${escapeProse(description)}${record}`,
      ...(made?.properties ? [writeFieldTable(made, schemas, 'gateway')] : []),
      ...Object.entries(samples).map(([name, value]) =>
        writeDetails(`Response ${status}: ${name}`, writeJson(value)),
      ),
    ]
  })
}

function writeErrors(operation: Operation): string {
  const codes = [...new Set(listOwnFaults(operation).map(readErrorCode))]
  const links = codes.map((code) => `[\`${code}\`](/reference/errors#${code})`)
  return `**Errors**: ${[...links, '[those of every request](/reference/errors)'].join(', ')}`
}
