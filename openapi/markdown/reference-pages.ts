// The reference of the API as Markdown for a site: a page for each chapter, and those of deliveries, errors and records.

import { chapters } from '@msgnet/shared/api/api.ts'
import { deliveries, deliveryHeaders } from '../delivery-section.ts'
import { entries, type OpenapiDocument } from '../document.ts'
import { listErrors, readErrorCode } from '../error-guide.ts'
import { faultGroups } from '../fault-responses.ts'
import { toJsonSchema } from '../json-schemas.ts'
import type { Operation } from '../operation-object.ts'
import { type Schema, ShownSchemas } from '../shown-schemas.ts'
import { writeFieldTable, writeType } from './field-rows.ts'
import { escapeProse, writeCell, writeDetails, writeJson } from './prose.ts'
import { writeOperation } from './write-operation.ts'

export interface ReferencePage {
  /** The last part of its address below /reference/. */
  name: string
  title: string
  text: string
}

const toName = (title: string): string => title.toLowerCase().replace(/[^a-z]+/g, '-')

/** In reading order; the first is `index`. */
export function writeReferencePages(document: OpenapiDocument): ReferencePage[] {
  const schemas = new ShownSchemas(document)
  const pages = [
    ...chapters.map(({ title, description }) => ({
      title,
      text: `${escapeProse(description)}\n\n${writeChapter(title, schemas)}`,
    })),
    { title: 'Deliveries', text: writeDeliveries(schemas) },
    { title: 'Errors', text: writeErrors() },
    { title: 'Records', text: writeRecords(schemas) },
  ].map(({ title, text }) => ({ name: toName(title), title, text: `# ${title}\n\n${text}\n` }))
  return [writeIntroduction(document, pages), ...pages]
}

function writeIntroduction({ info }: OpenapiDocument, pages: ReferencePage[]): ReferencePage {
  const rows = pages.map(({ name, title }) => {
    const { description = '' } = chapters.find((chapter) => chapter.title === title) ?? {}
    const [first = ''] = escapeProse(description).split(/(?<=\.) /)
    return `| [${title}](/reference/${name}) | ${writeCell(first)} |`
  })
  const text = `# The API\n\nContract ${info.version}. A running gateway has the same at \`/docs\`, where requests can be tried, and as OpenAPI 3.1 at \`/openapi.json\`.\n\n${info.description
    .split('\n\n')
    .map(escapeProse)
    .join('\n\n')}\n\n| Chapter | About |\n|---|---|\n${rows.join('\n')}\n`
  return { name: 'index', title: 'The API', text }
}

/** The address of its section. */
const findPage = ({ id }: Operation): string => {
  const entry = entries.find(({ operation }) => operation.id === id)
  return `/reference/${toName(entry?.chapter.title ?? '')}#${id}`
}

const writeChapter = (title: string, schemas: ShownSchemas): string =>
  entries
    .filter(({ chapter }) => chapter.title === title)
    .map((entry) => writeOperation(entry, schemas, findPage))
    .join('\n\n')

function writeDeliveries(schemas: ShownSchemas): string {
  const properties = Object.fromEntries(
    deliveryHeaders.map(({ name, says, schema }) => [name, { ...schema, description: says }]),
  )
  const required = deliveryHeaders.filter((header) => header.required).map(({ name }) => name)
  const headers = writeFieldTable({ properties, required } as Schema, schemas, 'gateway')
  const events = Object.entries(deliveries).map(([name, { summary, envelope, examples }]) =>
    [
      `## ${name} {#on_${name}}`,
      escapeProse(summary),
      writeFieldTable(schemas.resolveHere(toJsonSchema(envelope, 'output')), schemas, 'gateway'),
      ...Object.entries(examples).map(([title, value]) => writeDetails(title, writeJson(value))),
    ].join('\n\n'),
  )
  return `The gateway posts one event per request to a webhook, as JSON. [How receivers verify and order them](/use/webhooks).\n\n## Headers of a delivery {#headers}\n\n${headers}\n\n${events.join('\n\n')}`
}

function writeErrors(): string {
  const rows = faultGroups.map(({ what, faults }) => {
    const codes = [...new Set(faults.map(readErrorCode))].map((code) => `[\`${code}\`](#${code})`)
    return `| ${writeCell(escapeProse(what))} | ${codes.join(', ')} |`
  })
  const errors = listErrors().map(({ code, statuses, causes }) => {
    const lines = causes.map(({ message, cure, key, retryAfter }) => {
      const marks = [
        key && `\`error_key\` \`${key}\``,
        retryAfter !== undefined && `\`Retry-After: ${retryAfter}\``,
      ]
      const told = [escapeProse(message), ...marks].filter(Boolean).join('; ')
      return `- ${told}\n  ${escapeProse(cure)}`
    })
    return `## ${code} {#${code}}\n\nStatus ${statuses.join(', ')}\n\n${lines.join('\n')}`
  })
  return `Every refusal has a code in \`error\`, for programs, and a sentence in \`message\`. A 4xx or 502 had no effect. A 504 has an unknown outcome: repeat it with the same \`Idempotency-Key\`, which has no second effect. A 500 is a defect.\n\n| Request | Codes |\n|---|---|\n${rows.join('\n')}\n\n${errors.join('\n\n')}`
}

function writeRecords(schemas: ShownSchemas): string {
  const records = schemas.listRecords().map(([name, schema]) => {
    const forms = ((schema.oneOf ?? [schema]) as Schema[]).map((form) =>
      form.properties ? writeFieldTable(form, schemas, 'gateway') : writeType(form, 'gateway'),
    )
    return `## ${name} {#${name}}\n\n${forms.join('\n\nor\n\n')}`
  })
  return `Responses and deliveries consist of these records.\n\n${records.join('\n\n')}`
}
