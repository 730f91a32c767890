// Apart from cloud-dialect.ts, because this is the table of the routes: each does its work by routes of the contract.

import type { DialectRoute } from '../http/dialect-app.ts'
import type { Shown } from '../http/dialect-document.ts'
import { CloudRefusal } from './cloud-errors.ts'
import { removeFile, serveFile, uploadFile } from './cloud-media.ts'
import { debugToken, listPhones, register, showObject } from './cloud-objects.ts'
import { blockUsers, changeProfile, listBlocked, showProfile, unblockUsers } from './cloud-people.ts'
import { listTemplates } from './cloud-templates.ts'
import { listApps, subscribeApp, unsubscribeApp } from './cloud-webhooks.ts'
import { sendMessage } from './send-cloud-message.ts'

const auth = 'instance' as const

/** What the service has below a number and an account, and a linked device has not. */
const unavailable =
  `calls call_permissions flows assets publish deprecate groups settings request_code verify_code deregister message_qrdls
  conversational_automation`
    .split(/\s+/)
    .flatMap((name) =>
      (['GET', 'POST', 'DELETE'] as const).flatMap((method) => [
        refuse(method, `/{id}/${name}`),
        refuse(method, `/{id}/${name}/{code}`),
      ]),
    )

function refuse(method: DialectRoute['method'], path: `/${string}`): DialectRoute {
  return {
    method,
    path,
    auth,
    rawBody: true,
    shown: false,
    handle() {
      throw new CloudRefusal(100, 'Invalid parameter', 'A linked device has nothing of this kind.')
    },
  }
}

const webhookFields = {
  override_callback_uri: 'string',
  verify_token: 'string',
  secret: 'string',
  subscribed_fields: 'array',
} as const
const messageFields = {
  messaging_product: 'string',
  to: 'string',
  recipient: 'string',
  recipient_type: 'string',
  type: 'string',
  context: 'object',
  biz_opaque_callback_data: 'string',
  text: 'object',
  image: 'object',
  video: 'object',
  audio: 'object',
  document: 'object',
  sticker: 'object',
  location: 'object',
  contacts: 'array',
  reaction: 'object',
  interactive: 'object',
  template: 'object',
  status: 'string',
  message_id: 'string',
  typing_indicator: 'object',
} as const
const users = { 'block_users*': 'array' } as const
const uploadFields = { 'file*': 'file', type: 'string', messaging_product: 'string' } as const

const show = (
  [method, path]: readonly [DialectRoute['method'], DialectRoute['path']],
  summary: string,
  handle: DialectRoute['handle'],
  more: Partial<DialectRoute> & Omit<Shown, 'summary'> = {},
): DialectRoute => {
  const { query, fields, produces, ...rest } = more
  const shown = { summary, ...(query && { query }), ...(fields && { fields }), ...(produces && { produces }) }
  return { method, path, auth, handle, shown, ...rest }
}

/** The first that matches. */
export const cloudRoutes: DialectRoute[] = [
  show(['POST', '/{pn}/messages'], 'Sends a message, or marks one as read', sendMessage, {
    fields: messageFields,
  }),
  show(['POST', '/{pn}/media'], 'Stores a file for 30 days', uploadFile, {
    rawBody: true,
    tokenScope: 'send',
    fields: uploadFields,
  }),
  show(['GET', '/{waba}/phone_numbers'], 'Lists the number of the instance', listPhones),
  show(
    ['GET', '/{waba}/message_templates'],
    'Lists the templates that the operator has stored',
    listTemplates,
    {
      query: ['name'],
    },
  ),
  show(['GET', '/{waba}/subscribed_apps'], 'Lists the webhooks of this form', listApps),
  show(
    ['POST', '/{waba}/subscribed_apps'],
    'Saves a webhook, after its receiver has answered a challenge',
    subscribeApp,
    { fields: webhookFields, tokenScope: 'full' },
  ),
  show(['DELETE', '/{waba}/subscribed_apps'], 'Deletes the webhooks of this form', unsubscribeApp),
  show(['GET', '/{pn}/whatsapp_business_profile'], 'Shows the about text', showProfile),
  show(['POST', '/{pn}/whatsapp_business_profile'], 'Changes the about text', changeProfile, {
    fields: { 'about*': 'string' },
  }),
  show(['GET', '/{pn}/block_users'], 'Lists whom the account blocks', listBlocked),
  show(['POST', '/{pn}/block_users'], 'Blocks people', blockUsers, { fields: users }),
  show(['DELETE', '/{pn}/block_users'], 'Unblocks people', unblockUsers, { fields: users }),
  show(['POST', '/{pn}/register'], 'Says whether the number is linked', register),
  show(['GET', '/debug_token'], 'Says whether a token is the one of this request', debugToken, {
    query: ['input_token'],
  }),
  refuse('POST', '/{waba}/message_templates'),
  refuse('DELETE', '/{waba}/message_templates'),
  refuse('GET', '/{waba}/message_templates/{name}'),
  ...unavailable,
  show(['GET', '/{id}'], 'Shows a number, or a file with its URL', showObject, {
    query: ['fields', 'phone_number_id'],
  }),
  refuse('POST', '/{id}'),
  show(['DELETE', '/{id}'], 'Deletes a file that was uploaded', removeFile, {
    tokenScope: 'send',
    query: ['phone_number_id'],
  }),
  show(['GET', '/{id}/content'], 'The bytes of an uploaded file, for a day', serveFile, {
    auth: 'none',
    query: ['file'],
    produces: 'application/octet-stream',
  }),
]
