// Finds the names of the document's schemas: the names under which our own code has them. Texts, numbers and enums stay where they are used.

import * as z from 'zod'
import * as accountRequests from '../shared/contract/account-requests.ts'
import * as callRequests from '../shared/contract/call-requests.ts'
import * as changeEnvelopes from '../shared/contract/change-envelopes.ts'
import * as eventEnvelopes from '../shared/contract/event-envelopes.ts'
import * as furtherWebhookRequests from '../shared/contract/further-webhook-requests.ts'
import * as groupRequests from '../shared/contract/group-requests.ts'
import * as history from '../shared/contract/history.ts'
import * as hostRequests from '../shared/contract/host-requests.ts'
import * as identityRequests from '../shared/contract/identity-requests.ts'
import * as instanceRequests from '../shared/contract/instance-requests.ts'
import * as linkRequests from '../shared/contract/link-requests.ts'
import * as mediaRequests from '../shared/contract/media-requests.ts'
import * as menuRequests from '../shared/contract/menu-requests.ts'
import * as messageActionRequests from '../shared/contract/message-action-requests.ts'
import * as messageRequests from '../shared/contract/message-requests.ts'
import * as passkeyRequests from '../shared/contract/passkey-requests.ts'
import * as proxyRequests from '../shared/contract/proxy-requests.ts'
import * as replayRequest from '../shared/contract/replay-request.ts'
import * as accountResponses from '../shared/contract/responses/account-responses.ts'
import * as auditResponses from '../shared/contract/responses/audit-responses.ts'
import * as callResponses from '../shared/contract/responses/call-responses.ts'
import * as chatResponses from '../shared/contract/responses/chat-responses.ts'
import * as diagnosticsResponses from '../shared/contract/responses/diagnostics-responses.ts'
import * as errorResponse from '../shared/contract/responses/error-response.ts'
import * as eventResponses from '../shared/contract/responses/event-responses.ts'
import * as groupResponses from '../shared/contract/responses/group-responses.ts'
import * as hostResponses from '../shared/contract/responses/host-responses.ts'
import * as instanceResponses from '../shared/contract/responses/instance-responses.ts'
import * as limitResponses from '../shared/contract/responses/limit-responses.ts'
import * as linkResponses from '../shared/contract/responses/link-responses.ts'
import * as mediaResponses from '../shared/contract/responses/media-responses.ts'
import * as messageResponses from '../shared/contract/responses/message-responses.ts'
import * as overviewResponses from '../shared/contract/responses/overview-responses.ts'
import * as pagination from '../shared/contract/responses/pagination.ts'
import * as proxyResponses from '../shared/contract/responses/proxy-responses.ts'
import * as settingResponses from '../shared/contract/responses/setting-responses.ts'
import * as tokenResponses from '../shared/contract/responses/token-responses.ts'
import * as webhookResponses from '../shared/contract/responses/webhook-responses.ts'
import * as scheduledList from '../shared/contract/scheduled-list.ts'
import * as settingRequests from '../shared/contract/setting-requests.ts'
import * as statusRequests from '../shared/contract/status-requests.ts'
import * as tokenRequests from '../shared/contract/token-requests.ts'
import * as webhookRequests from '../shared/contract/webhook-requests.ts'

// biome-ignore format: a list of short entries
const modules: Record<string, unknown>[] = [
  accountRequests, callRequests, furtherWebhookRequests, groupRequests, history, hostRequests, identityRequests, instanceRequests,
  linkRequests, mediaRequests, menuRequests, messageActionRequests, messageRequests, passkeyRequests,
  scheduledList,
  proxyRequests, replayRequest, settingRequests, statusRequests, tokenRequests, webhookRequests,
  accountResponses, auditResponses, callResponses, chatResponses, diagnosticsResponses, errorResponse,
  eventResponses, groupResponses, hostResponses, instanceResponses, limitResponses, linkResponses,
  mediaResponses, messageResponses, overviewResponses, pagination, proxyResponses, settingResponses,
  tokenResponses, webhookResponses, eventEnvelopes, changeEnvelopes,
]

/** Names that callers know by another word. */
const otherNames: Record<string, string> = { ErrorObject: 'Error', ReplayRequest: 'RedriveRequest' }

const isNamed = (value: unknown): value is z.ZodType =>
  value instanceof z.ZodObject ||
  value instanceof z.ZodArray ||
  (value instanceof z.ZodUnion && value.options.every(isNamed))

export const namedSchemas: [string, z.ZodType][] = modules.flatMap((module) =>
  Object.entries(module).flatMap(([name, value]) =>
    isNamed(value) ? [[otherNames[name] ?? name, value] as [string, z.ZodType]] : [],
  ),
)
