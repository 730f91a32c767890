// Apart from cloud-dialect.ts, because this is the table of the routes: each does its work by routes of the contract.

import type { DialectRoute } from '../http/dialect-app.ts'
import { removeFile, serveFile, uploadFile } from './cloud-media.ts'
import { debugToken, listPhones, listTemplates, register, showObject } from './cloud-objects.ts'
import { blockUsers, changeProfile, listBlocked, showProfile, unblockUsers } from './cloud-people.ts'
import { listApps, subscribeApp, unsubscribeApp } from './cloud-webhooks.ts'
import { sendMessage } from './send-cloud-message.ts'

const auth = 'instance' as const

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
  { method: 'GET', path: '/{id}', auth, handle: showObject },
  { method: 'DELETE', path: '/{id}', auth, handle: removeFile },
  { method: 'GET', path: '/{id}/content', auth: 'none', handle: serveFile },
]
