// The app of the API serves every route that `shared/api/` declares, by its handler or by passing it on to the instance's session.
//
// A request is checked in this order: the route exists (404), the method is allowed (405), the caller is known (401), the body
// is valid (413, 415, 400), its Idempotency-Key is free (400, 422, 409), the things that it names exist (404), the session allows
// it (409, 429). Nothing is done before all checks have passed.

import { routes } from '@msgnet/shared/api/api.ts'
import { applyCors } from './http/cors.ts'
import { drainRest } from './http/drain-rest.ts'
import { createFaultResponse } from './http/fault-response.ts'
import { observeRequest } from './http/observe-requests.ts'
import { rejectDotSegments } from './http/request-target.ts'
import { createRoutedApp, refuseMethods } from './http/router.ts'
import { type AnyHandler, type Handlers, serveRoute } from './http/serve-route.ts'
import { accountHandlers } from './routes/account-routes.ts'
import { albumHandlers } from './routes/album-routes.ts'
import { auditHandlers } from './routes/audit-routes.ts'
import { serveAuthorizationPage } from './routes/authorization-page-routes.ts'
import { serveAuthorization } from './routes/authorization-routes.ts'
import { callHandlers } from './routes/call-routes.ts'
import { chatHandlers } from './routes/chat-routes.ts'
import { settingHandlers } from './routes/contact-routes.ts'
import { diagnosticHandlers } from './routes/diagnostic-routes.ts'
import { documentationHandlers, serveGuides } from './routes/documentation-routes.ts'
import { eventHandlers } from './routes/event-routes.ts'
import { exportHandlers } from './routes/export-routes.ts'
import { groupHandlers } from './routes/group-routes.ts'
import { hostHandlers } from './routes/host-routes.ts'
import { importHandlers } from './routes/import-routes.ts'
import { instanceHandlers } from './routes/instance-routes.ts'
import { limitHandlers } from './routes/limit-routes.ts'
import { serveLinkPage } from './routes/link-page-routes.ts'
import { linkHandlers } from './routes/link-routes.ts'
import { serveTools } from './routes/mcp-tools.ts'
import { mediaHandlers } from './routes/media-routes.ts'
import { messageHandlers } from './routes/message-routes.ts'
import { overviewHandlers } from './routes/overview-routes.ts'
import { notFound, pageHandlers, serveConsole } from './routes/page-routes.ts'
import { servePortal } from './routes/portal-routes.ts'
import { proxyHandlers } from './routes/proxy-routes.ts'
import { replayHandlers } from './routes/replay-routes.ts'
import { scheduledHandlers } from './routes/scheduled-routes.ts'
import { scopedTokenHandlers } from './routes/scoped-token-routes.ts'
import { serverWebhookHandlers } from './routes/server-webhook-routes.ts'
import { createActionHandler } from './routes/session-dispatch.ts'
import { sessionHandlers } from './routes/session-routes.ts'
import { streamHandlers } from './routes/stream-routes.ts'
import { sendText } from './routes/text-routes.ts'
import { tokenHandlers } from './routes/token-routes.ts'
import { transferHandlers } from './routes/transfer-routes.ts'
import { webhookHandlers } from './routes/webhook-routes.ts'
import { webhookTestHandlers } from './routes/webhook-test-routes.ts'
import { webhookByIdHandlers } from './routes/webhooks-by-id-routes.ts'

const handlers: Handlers = {
  ...instanceHandlers,
  ...accountHandlers,
  ...exportHandlers,
  ...importHandlers,
  ...limitHandlers,
  ...sessionHandlers,
  ...proxyHandlers,
  ...mediaHandlers,
  ...albumHandlers,
  ...messageHandlers,
  ...scheduledHandlers,
  ...chatHandlers,
  ...settingHandlers,
  ...groupHandlers,
  ...callHandlers,
  ...webhookHandlers,
  ...webhookTestHandlers,
  ...webhookByIdHandlers,
  ...eventHandlers,
  ...replayHandlers,
  ...streamHandlers,
  ...serverWebhookHandlers,
  ...overviewHandlers,
  ...linkHandlers,
  ...scopedTokenHandlers,
  ...hostHandlers,
  ...tokenHandlers,
  ...auditHandlers,
  ...transferHandlers,
  ...diagnosticHandlers,
  ...documentationHandlers,
  ...pageHandlers,
}

export const app = createRoutedApp()

app.use(observeRequest)
app.use(applyCors)
app.use(drainRest)
app.use(rejectDotSegments)
app.use(refuseMethods(app))
app.notFound(notFound)
app.onError(createFaultResponse)

serveConsole(app)
serveGuides(app)
serveLinkPage(app)
servePortal(app)
serveTools(app)
serveAuthorization(app)
serveAuthorizationPage(app)

// A text is an action of the session, which a link preview may come before.
const byId: Partial<Record<string, AnyHandler>> = { ...handlers, sendText }
for (const [id, route] of Object.entries(routes))
  serveRoute(app, id, route, byId[id] ?? createActionHandler(route))
