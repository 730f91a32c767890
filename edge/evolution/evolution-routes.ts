// The table of the routes: each does its work by routes of the contract.

import type { Method } from '@msgnet/shared/api/route-declaration.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { Context } from 'hono'
import type { DialectInput, DialectRoute } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { requireNamed } from './evolution-callers.ts'
import { sendContact, sendLocation, sendPoll, sendReaction } from './evolution-cards.ts'
import { deleteMessage, editMessage } from './evolution-changes.ts'
import { checkNumbers, markAsRead, showPresence } from './evolution-chats.ts'
import { createInstance } from './evolution-creation.ts'
import { EvolutionRefusal } from './evolution-errors.ts'
import { getBase64 } from './evolution-files.ts'
import { findProxy, setProxy } from './evolution-proxy.ts'
import { createFileSender, sendMedia, sendText } from './evolution-sends.ts'
import {
  connectInstance,
  deleteInstance,
  fetchInstances,
  logout,
  restart,
  showState,
} from './evolution-session.ts'
import { findWebhook, setWebhook } from './evolution-webhook.ts'

type Handle = DialectRoute['handle']

/** Answers with this status. */
const answer =
  (status: 200 | 201, handle: Handle): Handle =>
  async (c, input) => {
    const value = await handle(c, input)
    return value instanceof Response ? value : c.json(value as object, status)
  }

/** The instance ends the path. */
const serve = (
  method: Method,
  path: `/${string}`,
  status: 200 | 201,
  handle: Handle,
  body?: DialectRoute['body'],
): DialectRoute => ({
  method,
  path: `${path}/{instance}`,
  auth: 'instance',
  ...(body && { body }),
  handle: answer(status, (c: Context<EdgeEnv>, input: DialectInput) => {
    requireNamed(c, input.params.instance)
    return handle(c, input)
  }),
})

const file = (field: string) => ({ maxBytes: limits.maxMediaBodyBytes, fileFields: [field] })

/** Evolution has them, and nothing here does what they do. */
const absent: [Method, `/${string}`][] = [
  ['POST', '/call/offer'],
  ['POST', '/chat/fetchBusinessProfile'],
  ['POST', '/chat/markChatUnread'],
  ['POST', '/message/sendTemplate'],
]

const refuseAbsent = ([method, path]: (typeof absent)[number]): DialectRoute =>
  serve(method, path, 200, () => {
    throw new EvolutionRefusal(501, [`${method} ${path} is not supported`])
  })

export const evolutionRoutes: DialectRoute[] = [
  { method: 'POST', path: '/instance/create', auth: 'admin', handle: answer(201, createInstance) },
  {
    method: 'GET',
    path: '/instance/fetchInstances',
    auth: 'instance',
    adminScope: 'read',
    handle: fetchInstances,
  },
  serve('GET', '/instance/connect', 200, connectInstance),
  serve('GET', '/instance/qrcode', 200, connectInstance),
  serve('GET', '/instance/connectionState', 200, showState),
  serve('POST', '/instance/restart', 200, restart),
  serve('PUT', '/instance/restart', 200, restart),
  serve('DELETE', '/instance/logout', 200, logout),
  serve('DELETE', '/instance/delete', 200, deleteInstance),
  serve('POST', '/webhook/set', 201, setWebhook),
  serve('GET', '/webhook/find', 200, findWebhook),
  serve('POST', '/proxy/set', 201, setProxy),
  serve('GET', '/proxy/find', 200, findProxy),
  serve('POST', '/message/sendText', 201, sendText),
  serve('POST', '/message/sendMedia', 201, sendMedia, file('media')),
  serve(
    'POST',
    '/message/sendWhatsAppAudio',
    201,
    createFileSender('ptt', 'audio', 'audioMessage'),
    file('audio'),
  ),
  serve('POST', '/message/sendPtv', 201, createFileSender('ptv', 'video'), file('video')),
  serve(
    'POST',
    '/message/sendSticker',
    201,
    createFileSender('sticker', 'sticker', 'stickerMessage'),
    file('sticker'),
  ),
  serve('POST', '/message/sendLocation', 201, sendLocation),
  serve('POST', '/message/sendContact', 201, sendContact),
  serve('POST', '/message/sendReaction', 201, sendReaction),
  serve('POST', '/message/sendPoll', 201, sendPoll),
  serve('POST', '/chat/whatsappNumbers', 200, checkNumbers),
  serve('POST', '/chat/markMessageAsRead', 201, markAsRead),
  serve('POST', '/message/readMessage', 201, markAsRead),
  serve('POST', '/chat/sendPresence', 201, showPresence),
  serve('POST', '/chat/updateMessage', 200, editMessage),
  serve('PUT', '/chat/updateMessage', 200, editMessage),
  serve('PUT', '/message/update', 200, editMessage),
  serve('DELETE', '/chat/deleteMessageForEveryone', 201, deleteMessage),
  serve('DELETE', '/message/delete', 201, deleteMessage),
  ...absent.map(refuseAbsent),
  serve('POST', '/chat/getBase64FromMediaMessage', 201, getBase64),
]
