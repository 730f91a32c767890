// The generated part of the node for n8n: the properties of its form, and a table of what each operation requests.

import { messageFilters, webhookEvents } from '@msgnet/shared/contract/event-names.ts'
import type { ClientMethod, ClientModel } from './client-model.ts'
import { type NodeOperation, type NodeResource, resources } from './n8n-operations.ts'
import { type FieldWords, findWords, nameValue } from './n8n-words.ts'
import { Constant, printConstant, Row, Spread } from './print-literal.ts'
import { endSentence, toCamelCase } from './text-layout.ts'
import type { Field, ValueType } from './value-types.ts'

const FORM_TYPES = "import type { INodeProperties } from 'n8n-workflow'"
const CHOICE_TYPES = "import type { INodePropertyOptions } from 'n8n-workflow'"
const GENERATED = 'Written by `npm run build:clients` from the declared routes: do not edit.'
const DEFAULT_LIMIT = 50

type Property = Record<string, unknown> & { displayName: string; name: string }

interface Planned {
  resource: NodeResource
  operation: NodeOperation
  method: ClientMethod
  /** What stands in the form, and what may be added. */
  shown: Field[]
  added: Field[]
  list: { items: string; paging: 'offset' | 'afterId' | 'none' } | undefined
}

/** The files by their path in the package. */
export function buildN8nCode(model: ClientModel): Record<string, string> {
  const planned = resources.map((resource) => ({
    resource,
    operations: resource.operations.map((operation) => planOperation(model, resource, operation)),
  }))
  const options = resources.map(({ name, value }) => ({ name, value }))
  const files: [string, string][] = planned.flatMap(({ resource, operations }) => [
    [`${resource.value}-form`, buildForm(resource, operations)],
    ...(resource.value === 'message' ? buildSendingForms(resource, operations) : []),
  ])
  const generated = Object.fromEntries(
    files.map(([name, text]) => [`nodes/Msgnet/generated/${name}.ts`, text]),
  )
  return {
    ...generated,
    'nodes/Msgnet/generated/resource-choice.ts': joinFile(
      'The resources of the node.',
      CHOICE_TYPES,
      printConstant('resourceOptions: INodePropertyOptions[]', options),
    ),
    ...buildTables(planned.flatMap(({ operations }) => operations)),
    'nodes/MsgnetTrigger/event-choices.ts': buildEventChoices(),
  }
}

const joinFile = (says: string, ...parts: string[]): string =>
  `${[`// ${says} ${GENERATED}`, ...parts].join('\n\n')}\n`

function planOperation(model: ClientModel, resource: NodeResource, operation: NodeOperation): Planned {
  const method = model.instance.find(({ id }) => id === operation.route)
  if (!method) throw new Error(`there is no route ${operation.route} for the node`)
  const { left = [], shown = [] } = operation
  const ids: Field[] = method.ids.map((name) => ({
    name,
    type: { kind: 'text' },
    required: true,
    description: '',
  }))
  const fields = method.fields.filter(({ name }) => !left.includes(name))
  const isShown = ({ name, required }: Field) => required || shown.includes(name)
  return {
    resource,
    operation,
    method,
    shown: [...ids, ...fields.filter(isShown)],
    added: fields.filter((field) => !isShown(field)),
    list: findList(model, method),
  }
}

/** A response that is a list, or a page of one, becomes an item for each of its entries. */
function findList({ records }: ClientModel, { pages, response, fields, path, method }: ClientMethod) {
  if (response.kind === 'list') return { items: '', paging: 'none' as const }
  if (pages?.style === 'nextOffset' || pages?.style === 'pagination')
    return { items: pages.items, paging: 'offset' as const }
  if (response.kind !== 'record' || method !== 'GET' || path.startsWith('/instance/')) return undefined
  const record = records.find(({ name }) => name === response.name)
  const list = record?.fields.find(({ type }) => type.kind === 'list')
  const paging = fields.some(({ name }) => name === 'afterId') ? ('afterId' as const) : ('none' as const)
  return list && { items: list.name, paging }
}

const isSending = ({ operation }: Planned): boolean => operation.value.startsWith('send')

function buildForm(resource: NodeResource, planned: Planned[]): string {
  const operation = {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [resource.value] } },
    options: planned.map(({ operation: { name, value, action }, method: { summary } }) => {
      const description = toLabelText(summary)
      return { name, value, action, ...(description !== name && { description }) }
    }),
    default: planned[0]?.operation.value,
  }
  const others = planned.filter((one) => resource.value !== 'message' || !isSending(one))
  return joinFile(
    `The form of the resource ${resource.name}.`,
    FORM_TYPES,
    printConstant(`${toCamelCase(resource.value)}Form: INodeProperties[]`, [
      operation,
      ...buildProperties(others),
    ]),
  )
}

const idempotencyKey: Property = {
  displayName: 'Idempotency Key',
  name: 'idempotencyKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. order-7',
  description:
    'A name for this message: within a day no second message is sent with the same one. Without it the key belongs to this execution, so that a retry of the node sends nothing twice.',
}

/** Apart from the others of the resource: their optional fields are most of it, and the same for each. */
function buildSendingForms(resource: NodeResource, planned: Planned[]): [string, string][] {
  const sending = planned.filter(isSending)
  const isSharing = ({ operation }: Planned) => !operation.hasOwnOptions
  const sharing = sending.filter(isSharing)
  const isCommon = ({ name }: Field) =>
    sharing.every(({ added }) => added.some((field) => field.name === name))
  const common = sharing[0]?.added.filter(isCommon) ?? []
  const options = sortByTitle([
    ...common.map((field) => buildProperty(field, findWords('', field.name))),
    idempotencyKey,
  ])
  const own = sending.map((one) =>
    isSharing(one) ? { ...one, added: one.added.filter((field) => !isCommon(field)) } : one,
  )
  return [
    [
      'send-options',
      joinFile(
        'What may be added to whatever is sent.',
        FORM_TYPES,
        printConstant('sendOptions: INodeProperties[]', options),
      ),
    ],
    ...Object.entries(sendingForms).map(([name, shown]): [string, string] => {
      const fields = own.filter(({ operation }) => findSendingForm(operation.route) === name)
      const sharesOptions = fields.every(isSharing)
      return [
        `${name}-form`,
        joinFile(
          `The form of ${shown}, of the resource ${resource.name}.`,
          sharesOptions ? `${FORM_TYPES}\nimport { sendOptions } from './send-options.ts'` : FORM_TYPES,
          printConstant(
            `${name}Form: INodeProperties[]`,
            buildProperties(fields, sharesOptions ? new Spread('sendOptions') : idempotencyKey),
          ),
        ),
      ]
    }),
  ]
}

/** What each shows: those with many fields of their own have a file of their own. */
const sendingForms = { sending: 'what is sent', text: 'a text', event: 'an event', album: 'an album' }
const ownForms: Partial<Record<string, keyof typeof sendingForms>> = {
  sendText: 'text',
  sendEvent: 'event',
  sendAlbum: 'album',
}
const findSendingForm = (route: string) => ownForms[route] ?? 'sending'

/** Fields that are the same for several operations stand once. */
function buildProperties(planned: Planned[], more?: Spread | Property): Property[] {
  const merged = new Map<string, { property: Property; resource: string; operations: string[] }>()
  const add = ({ resource, operation }: Planned, property: Property) => {
    const key = JSON.stringify(property)
    const known = merged.get(key)
    if (known) known.operations.push(operation.value)
    else merged.set(key, { property, resource: resource.value, operations: [operation.value] })
  }
  for (const one of planned) for (const property of buildOperationProperties(one, more)) add(one, property)
  return [...merged.values()].map(({ property, resource, operations }) => {
    const { displayName, name, ...rest } = property
    return {
      displayName,
      name,
      ...rest,
      displayOptions: { show: { resource: [resource], operation: operations } },
    }
  })
}

/** `more`: what may be added beside the fields of the route. */
function buildOperationProperties(
  { operation, shown, added, list }: Planned,
  more?: Spread | Property,
): Property[] {
  const options = sortByTitle(
    added.map((field) => buildProperty(field, findWords(operation.route, field.name))),
  )
  const collection: Property = {
    displayName: list ? 'Filters' : 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: list ? 'Add Filter' : 'Add Field',
    default: {},
    options: joinOptions(options, more),
  }
  return [
    ...shown.map((field) => {
      const words = findWords(operation.route, field.name)
      const { displayName, name, type, ...rest } = buildProperty(field, words)
      const isRequired = field.required && !words.mayBeEmpty && field.type.kind !== 'boolean'
      return { displayName, name, type, ...(isRequired && { required: true }), ...rest }
    }),
    ...(list && list.paging !== 'none' ? buildPagingProperties() : []),
    ...(options.length > 0 || more ? [collection] : []),
  ]
}

function joinOptions(own: Property[], more: Spread | Property | undefined) {
  if (!(more instanceof Spread)) return more ? sortByTitle([...own, more]) : own
  return own.length > 0 ? [...own, more] : new Constant(more.name)
}

const buildPagingProperties = (): Property[] => [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: DEFAULT_LIMIT,
    description: 'Max number of results to return',
  },
]

function buildProperty({ name, type, description }: Field, words: FieldWords): Property {
  const says = toLabelText(words.says ?? description)
  const kind = toKind(type, words)
  return {
    displayName: words.title,
    name,
    ...kind,
    ...(words.preset !== undefined && { default: words.preset }),
    ...(words.placeholder && { placeholder: words.placeholder }),
    ...(says && { description: says }),
  }
}

function toKind(type: ValueType, { rows, isTime }: FieldWords): Record<string, unknown> {
  if (isTime) return { type: 'dateTime', default: '' }
  if (type.kind === 'boolean') return { type: 'boolean', default: true }
  if (type.kind === 'integer' || type.kind === 'number') return { type: 'number', default: 0 }
  if (type.kind === 'text' && type.values) {
    const options = type.values.filter(Boolean).map((value) => ({ name: nameValue(value), value }))
    return { type: 'options', options: options.toSorted(compareNames), default: type.values[0] }
  }
  return { type: 'string', ...(rows && { typeOptions: { rows } }), default: '' }
}

const compareNames = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name, 'en')

const sortByTitle = (properties: Property[]): Property[] =>
  properties.toSorted((a, b) => a.displayName.localeCompare(b.displayName, 'en'))

/** As n8n writes descriptions: no period after a single sentence, `code` as HTML, ids in capitals. */
function toLabelText(text: string): string {
  const spelled = text
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\bmessageids\b/g, 'message IDs')
    .replace(/\bmessageid\b/g, 'message ID')
    .replace(/\bid\b(?![^<]*<\/code>)/g, 'ID')
    .replace(/\bids\b(?![^<]*<\/code>)/g, 'IDs')
  const sentences = spelled.split(/(?<=[.!?])\s+/).filter(Boolean)
  return sentences.length > 1 ? endSentence(spelled) : endLikeLabel(spelled)
}

const endLikeLabel = (text: string): string => text.replace(/\.$/, '')

/** How the value of a field becomes what the route takes. */
function nameConversion({ type }: Field, words: FieldWords): string {
  if (words.isTime) return 'time'
  if (words.separator) return words.separator
  return type.kind === 'choice' || type.kind === 'nullable' || type.kind === 'any' ? 'text' : type.kind
}

/** Those of messages, which are as many as all others, in a file of their own. */
function buildTables(planned: Planned[]): Record<string, string> {
  const isOfMessages = ({ resource }: Planned) => resource.value === 'message'
  return {
    'nodes/Msgnet/generated/message-operations.ts': buildTable('message', planned.filter(isOfMessages)),
    'nodes/Msgnet/generated/other-operations.ts': buildTable(
      'other',
      planned.filter((one) => !isOfMessages(one)),
    ),
  }
}

function buildTable(which: 'message' | 'other', planned: Planned[]): string {
  const rows = planned.map(({ resource, operation, method, shown, added, list }) => {
    const convert = (fields: Field[]) =>
      new Row(
        Object.fromEntries(
          fields.map((field) => [field.name, nameConversion(field, findWords(operation.route, field.name))]),
        ),
      )
    const row = {
      method: method.method,
      path: method.path,
      ...(method.takes && { takes: method.takes }),
      ...(method.isKeyed && { isKeyed: true }),
      ...(list && { list: new Row(list) }),
      shown: convert(shown),
      added: convert(added),
    }
    return [`${resource.value}.${operation.value}`, row]
  })
  return joinFile(
    `What each operation on ${which === 'message' ? 'messages' : 'all else'} requests.`,
    "import type { OperationRow } from '../operation-row.ts'",
    printConstant(`${which}Operations: Record<string, OperationRow>`, Object.fromEntries(rows)),
  )
}

function buildEventChoices(): string {
  const list = (values: readonly string[]) =>
    values.map((value) => ({ name: nameValue(value), value })).toSorted(compareNames)
  return joinFile(
    'The events and the filters that the trigger offers.',
    CHOICE_TYPES,
    printConstant('eventChoices: INodePropertyOptions[]', list(webhookEvents)),
    printConstant('filterChoices: INodePropertyOptions[]', list(messageFilters)),
  )
}
