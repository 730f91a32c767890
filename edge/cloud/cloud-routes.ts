// Apart from cloud-dialect.ts, because this is the table of the routes: each does its work by routes of the contract.

import type { DialectRoute } from '../http/dialect-app.ts'
import { CloudRefusal } from './cloud-errors.ts'
import { removeFile, serveFile, uploadFile } from './cloud-media.ts'
import { debugToken, listPhones, listTemplates, register, showObject } from './cloud-objects.ts'
import { blockUsers, changeProfile, listBlocked, showProfile, unblockUsers } from './cloud-people.ts'
import { listApps, subscribeApp, unsubscribeApp } from './cloud-webhooks.ts'
import { sendMessage } from './send-cloud-message.ts'

const auth = 'instance' as const

/** What the service has below a number and an account, and a linked device has not. */
const unavailable =
  'calls flows groups settings request_code verify_code deregister message_qrdls conversational_automation'
    .split(' ')
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
    handle() {
      throw new CloudRefusal(100, 'Invalid parameter', 'A linked device has nothing of this kind.')
    },
  }
}

/** The first that matches. */
export const cloudRoutes: DialectRoute[] = [
  { method: 'POST', path: '/{pn}/messages', auth, handle: sendMessage },
  { method: 'POST', path: '/{pn}/media', auth, rawBody: true, handle: uploadFile },
  { method: 'GET', path: '/{waba}/phone_numbers', auth, handle: listPhones },
  { method: 'GET', path: '/{waba}/message_templates', auth, handle: listTemplates },
  { method: 'GET', path: '/{waba}/subscribed_apps', auth, handle: listApps },
  { method: 'POST', path: '/{waba}/subscribed_apps', auth, handle: subscribeApp },
  { method: 'DELETE', path: '/{waba}/subscribed_apps', auth, handle: unsubscribeApp },
  { method: 'GET', path: '/{pn}/whatsapp_business_profile', auth, handle: showProfile },
  { method: 'POST', path: '/{pn}/whatsapp_business_profile', auth, handle: changeProfile },
  { method: 'GET', path: '/{pn}/block_users', auth, handle: listBlocked },
  { method: 'POST', path: '/{pn}/block_users', auth, handle: blockUsers },
  { method: 'DELETE', path: '/{pn}/block_users', auth, handle: unblockUsers },
  { method: 'POST', path: '/{pn}/register', auth, handle: register },
  { method: 'GET', path: '/debug_token', auth, handle: debugToken },
  refuse('POST', '/{waba}/message_templates'),
  refuse('DELETE', '/{waba}/message_templates'),
  ...unavailable,
  { method: 'GET', path: '/{id}', auth, handle: showObject },
  refuse('POST', '/{id}'),
  { method: 'DELETE', path: '/{id}', auth, handle: removeFile },
  { method: 'GET', path: '/{id}/content', auth: 'none', handle: serveFile },
]
