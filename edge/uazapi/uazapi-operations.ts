// What the OpenAPI document of uazapi says of routes that the contract does not have, or has with another response.

type Fields = Record<string, unknown>

interface UazapiOperation extends Fields {
  /** The path of the contract whose operation this one repeats. */
  like?: string
}

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: Fields) => ({ 'application/json': { schema } })
const describeList = (name: string) => ({ type: 'array', items: refer(name) })
const succeedWith = (description: string, schema: Fields) => ({
  responses: { 200: { description, content: json(schema) } },
})
const require = (schema: Fields) => ({ requestBody: { required: true, content: json(schema) } })
const text = { type: 'string' }
const flag = { type: 'boolean' }

const webhook = {
  id: text,
  enabled: flag,
  url: text,
  events: { type: 'array', items: text },
  excludeMessages: { type: 'array', items: text },
  addUrlEvents: flag,
  addUrlTypesMessages: flag,
}

export const uazapiSchemas: Record<string, Fields> = {
  FamilyWebhook: { type: 'object', properties: webhook, required: Object.keys(webhook) },
  FamilyWebhookRequest: {
    type: 'object',
    properties: {
      ...webhook,
      action: {
        enum: ['add', 'update', 'delete', 'inherit'],
        description:
          '`add` adds a webhook, or changes the one with the same URL. `update` and `delete` mean the one with this `id`, else the one with this URL or the only one. Without it, the one with this URL or the only one is changed, or one is added.',
      },
      secret: text,
      headers: { type: 'object', additionalProperties: text },
    },
  },
  FamilyFailure: {
    type: 'object',
    properties: {
      created: text,
      url: text,
      type: { enum: ['local', 'global'] },
      event: text,
      message_type: text,
      status_code: { type: 'integer' },
      attempts: { type: 'integer' },
      error: text,
      payload: { type: 'object' },
    },
  },
}

const parameter = (name: string, place: string, description: string) => ({
  name,
  in: place,
  description,
  required: place === 'path',
  schema: text,
})
const security = [{ instance: [] }, { instanceInQuery: [] }]
const adminSecurity = [{ admin: ['operate'] }, { adminInQuery: ['operate'] }]
const count = { type: 'integer' }

/** By path and method; what an operation does not name stays as in the contract. */
export const uazapiOperations: Record<string, Record<string, UazapiOperation>> = {
  '/webhook': {
    get: succeedWith('All webhooks, its own first.', describeList('FamilyWebhook')),
    post: {
      summary: 'Adds, changes or deletes a webhook',
      description: 'An instance has up to five.',
      ...require(refer('FamilyWebhookRequest')),
      ...succeedWith('All webhooks as they are now.', describeList('FamilyWebhook')),
    },
  },
  '/webhook/errors': {
    get: succeedWith('Failed deliveries to all webhooks, newest first.', describeList('FamilyFailure')),
  },
  '/globalwebhook': {
    get: {
      like: '/v1/webhook',
      operationId: 'getGlobalWebhook',
      ...succeedWith('The webhook.', refer('FamilyWebhook')),
    },
    post: {
      like: '/v1/webhook',
      operationId: 'configureGlobalWebhook',
      ...succeedWith('The webhook as it is now.', refer('FamilyWebhook')),
    },
  },
  '/instance/create': { post: { like: '/instance/init', operationId: 'createInstanceAsFamily' } },
  '/instance/reset': { post: { like: '/instance/restart', operationId: 'resetInstance' } },
  '/instance/wa_messages_limits': {
    get: {
      like: '/instance/limits',
      operationId: 'getMessageLimits',
      description:
        'Also has `can_send_new_messages` and `new_chat_message_capping`: `available`, `capping_status`, `used_quota`, `total_quota` and `cycle_end`.',
    },
  },
  '/message/history-sync': { post: { like: '/message/history', operationId: 'requestHistoryAsFamily' } },
  '/instance/updateAdminFields': {
    post: {
      operationId: 'updateAdminFields',
      tags: ['Instances'],
      summary: 'Changes the texts that programs keep with an instance',
      security: adminSecurity,
      ...require({
        type: 'object',
        required: ['id'],
        properties: { id: text, adminField01: text, adminField02: text },
      }),
      ...succeedWith('The instance.', refer('Instance')),
    },
  },
  '/group/list': {
    post: {
      operationId: 'listGroupPages',
      tags: ['Groups'],
      summary: 'Lists the groups in pages',
      security,
      requestBody: {
        content: json({
          type: 'object',
          properties: {
            limit: count,
            offset: count,
            page: count,
            pageSize: count,
            search: text,
            force: flag,
            noParticipants: flag,
          },
        }),
      },
      ...succeedWith('A page.', {
        type: 'object',
        properties: { groups: describeList('GroupRecord'), pagination: refer('Pagination') },
      }),
    },
  },
  '/group/invitelink/{groupjid}': {
    get: {
      operationId: 'getInviteLink',
      tags: ['Groups'],
      summary: 'Returns the link to join a group',
      security,
      parameters: [parameter('groupjid', 'path', 'The group.')],
      ...succeedWith('The link.', { type: 'object', properties: { inviteLink: text } }),
    },
  },
  '/sse': {
    get: {
      operationId: 'streamEventsAsFamily',
      tags: ['Events'],
      summary: 'Streams the events as they happen',
      security,
      parameters: [parameter('events', 'query', 'Names of events, separated by commas; all without it.')],
      responses: { 200: { description: 'Server-sent events.', content: { 'text/event-stream': {} } } },
    },
  },
}
