// The whole API as a table: verb, path, who may, what is read, how it repeats, what is done.
//
// A request is judged in this order: the route exists (404), takes the method (405), knows the caller (401), the body
// fits (413, 415, 400), its Idempotency-Key is free (400, 422, 409), what it names exists (404), the session allows it
// (409, 429). Only then is anything done.

import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { DAY, SECOND } from '../shared/clock.ts'
import { RejectCall } from '../shared/contract/call.ts'
import { RedriveRequest } from '../shared/contract/events-request.ts'
import * as group from '../shared/contract/group.ts'
import { HostRequest, HostSlots } from '../shared/contract/host.ts'
import { ConnectRequest, InitRequest } from '../shared/contract/instance.ts'
import { DownloadMessage, SendMedia } from '../shared/contract/media.ts'
import { ChatRead, SendText } from '../shared/contract/message.ts'
import * as asked from '../shared/contract/message-actions.ts'
import { ProxyRequest } from '../shared/contract/proxy.ts'
import { unhonoured } from '../shared/contract/unhonoured.ts'
import { limits } from '../shared/contract/version.ts'
import { Fault, type FaultName } from '../shared/faults.ts'
import type { EdgeEnv } from './context.ts'
import { adminToken, instanceToken, instanceTokenForStatus, namedInstance } from './http/auth.ts'
import { drained, takes } from './http/body.ts'
import { cors } from './http/cors.ts'
import { faultResponse } from './http/faults.ts'
import { idempotent } from './http/idempotency.ts'
import { noStore } from './http/no-store.ts'
import { requestId } from './http/request-id.ts'
import { listCalls, rejectCall } from './routes/calls.ts'
import { checkNumbers, findChats, readChat } from './routes/chats.ts'
import { capabilities, live, ready } from './routes/diagnostics.ts'
import { docs, openapi } from './routes/documentation.ts'
import { inspectEvents, inspectFailures } from './routes/events.ts'
import * as groups from './routes/groups.ts'
import {
  allHosts,
  drainHost,
  hostLink,
  registerHost,
  removeHost,
  renewHostToken,
  resizeHost,
} from './routes/hosts.ts'
import { init, list, remove, renewToken, status } from './routes/instances.ts'
import { downloadMessage, sendMedia, serveMedia } from './routes/media.ts'
import * as messages from './routes/messages.ts'
import { notFound, servePages } from './routes/pages.ts'
import { configureProxy, removeProxy, showProxy } from './routes/proxy.ts'
import { redriveEvents } from './routes/redrive.ts'
import { configureServerWebhook, showServerWebhook } from './routes/server-webhook.ts'
import { connect, disconnect, Nothing, restart } from './routes/sessions.ts'
import { streamEvents } from './routes/stream.ts'
import { downloadTransfer, uploadTransfer } from './routes/transfers.ts'
import { configureWebhook, showWebhook } from './routes/webhook.ts'
import { WebhookBody } from './routes/webhook-body.ts'
import { testWebhook } from './routes/webhook-test.ts'

const codes = <Codes extends Record<string, FaultName>>(faults: Codes) => ({ faults })
const number = codes({ number: 'invalid_number' })
const sent = { ...number, unhonoured: unhonoured.send }
const contact = {
  ...codes({ number: 'invalid_number', phoneNumber: 'invalid_phone' }),
  unhonoured: unhonoured.send,
}
const message = codes({ id: 'invalid_id', number: 'invalid_number', text: 'invalid_message' })
const media = { ...number, atMost: limits.mediaBodyBytes, unhonoured: unhonoured.sendMedia }
const groupFaults = codes({
  groupjid: 'invalid_group',
  name: 'invalid_name',
  participants: 'invalid_participants',
  action: 'invalid_action',
  image: 'invalid_image',
})
const image = { ...groupFaults, atMost: limits.imageBodyBytes }
const page = codes({ id: 'invalid_id', chatid: 'invalid_number', limit: 'invalid_limit' })
const webhook = codes({
  action: 'invalid_action',
  url: 'invalid_url',
  events: 'invalid_events',
  excludeMessages: 'invalid_exclude',
  secret: 'invalid_secret',
})
const redriven = codes({ ids: 'invalid_id', status: 'invalid_status' })
const onceInFifteenMinutes = idempotent({ keepFor: limits.initReplaySeconds * SECOND })
const onceADay = idempotent({ keepFor: DAY })

const newInstance = takes(InitRequest, codes({ name: 'invalid_name', kind: 'invalid_kind' }))
const phone = takes(ConnectRequest, { ...codes({ phone: 'invalid_phone' }), optional: true })
const nothing = takes(Nothing, { optional: true })

export const app = new Hono<EdgeEnv>()

app.use(requestId)
app.use(cors)
app.use(drained)
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed(c, methods) {
      c.header('allow', methods.join(', '))
      return faultResponse(new Fault('method_not_allowed'), c)
    },
  }),
)
app.notFound(notFound)
app.onError(faultResponse)

servePages(app)

app.get('/health/live', live)
app.get('/health/ready', ready)
app.get('/v1/capabilities', adminToken, capabilities)
app.get('/openapi.json', openapi)
app.get('/docs', docs)

app.post('/instance/init', adminToken, noStore, newInstance, onceInFifteenMinutes, init)
app.get('/instance/all', adminToken, list)
app.post('/instance/connect', instanceToken, phone, connect)
app.get('/instance/status', instanceTokenForStatus, status)
app.post('/instance/disconnect', instanceToken, nothing, disconnect)
app.post('/instance/restart', instanceToken, nothing, restart)
app.delete('/instance', instanceToken, nothing, remove)
app.get('/instance/proxy', instanceToken, showProxy)
app.post(
  '/instance/proxy',
  instanceToken,
  takes(ProxyRequest, codes({ proxy_url: 'invalid_url' })),
  configureProxy,
)
app.delete('/instance/proxy', instanceToken, nothing, removeProxy)

app.get('/v1/instances/:id', adminToken, namedInstance, status)
app.delete('/v1/instances/:id', adminToken, nothing, namedInstance, remove)
app.post('/v1/instances/:id/connect', adminToken, phone, namedInstance, connect)
app.post('/v1/instances/:id/disconnect', adminToken, nothing, namedInstance, disconnect)
app.post('/v1/instances/:id/restart', adminToken, nothing, namedInstance, restart)
app.post('/v1/instances/:id/token', adminToken, noStore, nothing, namedInstance, renewToken)

app.post('/send/text', instanceToken, takes(SendText, sent), onceADay, messages.sendText)
app.post('/send/location', instanceToken, takes(asked.SendLocation, sent), onceADay, messages.sendLocation)
app.post('/send/contact', instanceToken, takes(asked.SendContact, contact), onceADay, messages.sendContact)

app.post('/send/media', instanceToken, takes(SendMedia, media), onceADay, sendMedia)
app.post(
  '/message/download',
  instanceToken,
  takes(DownloadMessage, { ...message, unhonoured: unhonoured.download }),
  downloadMessage,
)
app.get('/media', serveMedia)

app.post(
  '/message/forward',
  instanceToken,
  takes(asked.ForwardMessage, message),
  onceADay,
  messages.forwardMessage,
)
app.post(
  '/message/react',
  instanceToken,
  takes(asked.ReactToMessage, message),
  onceADay,
  messages.reactToMessage,
)
app.post(
  '/message/delete',
  instanceToken,
  takes(asked.DeleteMessage, message),
  onceADay,
  messages.deleteMessage,
)
app.post('/message/edit', instanceToken, takes(asked.EditMessage, message), onceADay, messages.editMessage)
app.put('/message/edit', instanceToken, takes(asked.EditMessage, message), onceADay, messages.editMessage)
app.post(
  '/message/presence',
  instanceToken,
  takes(asked.SendPresence, { ...number, unhonoured: unhonoured.presence }),
  messages.showPresence,
)
app.post(
  '/message/find',
  instanceToken,
  takes(asked.FindMessages, { ...page, unhonoured: unhonoured.findMessages }),
  messages.findMessages,
)

app.post('/chat/read', instanceToken, takes(ChatRead, number), readChat)
app.post(
  '/chat/find',
  instanceToken,
  takes(asked.FindChats, { ...page, optional: true, unhonoured: unhonoured.findChats }),
  findChats,
)
app.post('/chat/check', instanceToken, takes(asked.CheckNumbers), checkNumbers)

app.get('/group/list', instanceToken, groups.listGroups)
app.post('/group/info', instanceToken, takes(group.GroupInfo, groupFaults), groups.showGroup)
app.post('/group/create', instanceToken, takes(group.GroupCreate, groupFaults), onceADay, groups.createGroup)
app.post(
  '/group/updateParticipants',
  instanceToken,
  takes(group.GroupParticipantsChange, groupFaults),
  onceADay,
  groups.changeParticipants,
)
app.post(
  '/group/updateName',
  instanceToken,
  takes(group.GroupNameChange, groupFaults),
  onceADay,
  groups.renameGroup,
)
app.post(
  '/group/updateImage',
  instanceToken,
  takes(group.GroupImageChange, image),
  onceADay,
  groups.changeGroupImage,
)

app.post('/call/reject', instanceToken, takes(RejectCall, codes({ id: 'invalid_id' })), onceADay, rejectCall)
app.get('/call/list', instanceToken, listCalls)

app.post('/webhook', instanceToken, takes(WebhookBody, webhook), configureWebhook)
app.get('/webhook', instanceToken, showWebhook)
app.get('/webhook/errors', instanceToken, inspectFailures)
app.post('/v1/webhook', adminToken, takes(WebhookBody, webhook), configureServerWebhook)
app.get('/v1/webhook', adminToken, showServerWebhook)
app.post('/webhook/test', instanceToken, nothing, testWebhook)
app.get('/v1/events', instanceToken, inspectEvents)
app.post('/v1/events/replay', instanceToken, takes(RedriveRequest, redriven), redriveEvents)
app.get('/v1/events/stream', instanceToken, streamEvents)

app.post('/v1/hosts', adminToken, noStore, takes(HostRequest), registerHost)
app.get('/v1/hosts', adminToken, allHosts)
app.post('/v1/hosts/:id/drain', adminToken, nothing, drainHost)
app.post('/v1/hosts/:id/token', adminToken, noStore, nothing, renewHostToken)
app.post('/v1/hosts/:id/slots', adminToken, takes(HostSlots), resizeHost)
app.delete('/v1/hosts/:id', adminToken, removeHost)
app.get('/hosts/v1/link', hostLink)
app.get('/hosts/v1/parcel', downloadTransfer)
app.put('/hosts/v1/parcel', uploadTransfer)
