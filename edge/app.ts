// The app of the API serves every route that `shared/api/` declares, by its handler or by passing it on to the instance's session.
//
// A request is checked in this order: the route exists (404), the method is allowed (405), the caller is known (401), the body
// is valid (413, 415, 400), its Idempotency-Key is free (400, 422, 409), the things that it names exist (404), the session allows
// it (409, 429). Nothing is done before all checks have passed.

import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { routes } from '../shared/api/api.ts'
import { Fault } from '../shared/faults.ts'
import type { EdgeEnv } from './context.ts'
import { drained } from './http/body.ts'
import { cors } from './http/cors.ts'
import { faultResponse } from './http/faults.ts'
import { requestId } from './http/request-id.ts'
import { FixedPathRouter } from './http/router.ts'
import { type AnyHandler, type Handlers, serve } from './http/serve.ts'
import { accountHandlers } from './routes/account.ts'
import { auditHandlers } from './routes/audit.ts'
import { callHandlers } from './routes/calls.ts'
import { chatHandlers } from './routes/chats.ts'
import { diagnosticHandlers } from './routes/diagnostics.ts'
import { documentationHandlers } from './routes/documentation.ts'
import { eventHandlers } from './routes/events.ts'
import { exportHandlers } from './routes/export.ts'
import { groupHandlers } from './routes/groups.ts'
import { hostHandlers } from './routes/hosts.ts'
import { instanceHandlers } from './routes/instances.ts'
import { limitHandlers } from './routes/limits.ts'
import { serveTools } from './routes/mcp.ts'
import { mediaHandlers } from './routes/media.ts'
import { messageHandlers } from './routes/messages.ts'
import { notFound, pageHandlers, serveConsole } from './routes/pages.ts'
import { proxyHandlers } from './routes/proxy.ts'
import { replayHandlers } from './routes/replay.ts'
import { serverWebhookHandlers } from './routes/server-webhook.ts'
import { passOn } from './routes/session-acts.ts'
import { sessionHandlers } from './routes/sessions.ts'
import { settingHandlers } from './routes/settings.ts'
import { streamHandlers } from './routes/stream.ts'
import { tokenHandlers } from './routes/tokens.ts'
import { transferHandlers } from './routes/transfers.ts'
import { webhookHandlers } from './routes/webhook.ts'
import { webhookTestHandlers } from './routes/webhook-test.ts'

const handlers: Handlers = {
  ...instanceHandlers,
  ...accountHandlers,
  ...exportHandlers,
  ...limitHandlers,
  ...sessionHandlers,
  ...proxyHandlers,
  ...mediaHandlers,
  ...messageHandlers,
  ...chatHandlers,
  ...settingHandlers,
  ...groupHandlers,
  ...callHandlers,
  ...webhookHandlers,
  ...webhookTestHandlers,
  ...eventHandlers,
  ...replayHandlers,
  ...streamHandlers,
  ...serverWebhookHandlers,
  ...hostHandlers,
  ...tokenHandlers,
  ...auditHandlers,
  ...transferHandlers,
  ...diagnosticHandlers,
  ...documentationHandlers,
  ...pageHandlers,
}

export const app = new Hono<EdgeEnv>({ router: new FixedPathRouter() })

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

serveConsole(app)
serveTools(app)

const byId: Partial<Record<string, AnyHandler>> = handlers
for (const [id, route] of Object.entries(routes)) serve(app, route, byId[id] ?? passOn(route))
