// The enums of the client in PHP: each set of values that requests may have is one, under one name.

import type { ClientMethod } from './client-model.ts'
import { splitWords, toPascalCase } from './text-layout.ts'
import type { Field, ValueType } from './value-types.ts'

/** By their values as JSON. */
export type EnumNames = Map<string, { name: string; values: string[]; says: string }>

/** A set that has no name here is called after the first method and field that take it. */
const NAMES: Record<string, string> = {
  'connect.history': 'History',
  'showOwnPresence.presence': 'OwnPresence',
  'showPresence.presence': 'ChatPresence',
  'changePrivacy.groupadd': 'Audience',
  'changePrivacy.readreceipts': 'ReadReceipts',
  'changePrivacy.online': 'OnlineAudience',
  'changePrivacy.calladd': 'CallAudience',
  'sendStatus.type': 'StatusType',
  'sendMenu.type': 'MenuType',
  'sendMedia.type': 'MediaType',
  'findMessages.sort': 'MessageOrder',
  'findChats.operator': 'FilterOperator',
  'findContacts.contactScope': 'ContactScope',
  'changeParticipants.action': 'ParticipantAction',
  'configureWebhook.action': 'WebhookAction',
  'configureWebhook.events': 'EventName',
  'configureWebhook.excludeMessages': 'MessageFilter',
  'listEvents.status': 'EventStatus',
  'listEvents.type': 'EventType',
  'redriveEvents.status': 'ReplayStatus',
  'createInstance.kind': 'InstanceKind',
  'configureServerWebhook.action': 'ServerWebhookAction',
  'searchInstances.sort': 'InstanceOrder',
  'createLink.language': 'Language',
  'createToken.scope': 'Scope',
  'listAudit.actor': 'Actor',
}

export function nameEnums(methods: ClientMethod[]): EnumNames {
  const enums: EnumNames = new Map()
  for (const method of methods)
    for (const field of method.fields) {
      const values = findValues(field.type)
      if (!values || enums.has(JSON.stringify(values))) continue
      const place = `${method.id}.${field.name}`
      const name = NAMES[place] ?? toPascalCase(method.id) + toPascalCase(field.name)
      enums.set(JSON.stringify(values), { name, values, says: `What \`${field.name}\` of a request may be.` })
    }
  return enums
}

export function findEnum(enums: EnumNames, field: Field): string | undefined {
  const values = findValues(field.type)
  return values && enums.get(JSON.stringify(values))?.name
}

function findValues(type: ValueType): string[] | undefined {
  if (type.kind === 'text') return type.values
  if (type.kind === 'choice') return type.among.map(findValues).find((values) => values !== undefined)
  return type.kind === 'list' || type.kind === 'nullable' ? findValues(type.of) : undefined
}

export const buildEnumFile = (name: string, values: string[], says: string): string[] => [
  `/** ${says} */`,
  `enum ${name}: string`,
  '{',
  ...values.map((value) => `    case ${nameCase(value)} = '${value}';`),
  '}',
]

/** A minus turns an order around. */
const nameCase = (value: string): string =>
  splitWords(value)
    .map((word) => toPascalCase(word.toLowerCase()))
    .join('') + (value.startsWith('-') ? 'Descending' : '')
