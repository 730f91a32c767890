// Finds the names of the document's schemas: the names under which our own code has them. Texts, numbers and enums stay where they are used.

import * as accountRequests from '@msgnet/shared/contract/account-requests.ts'
import * as albumRequests from '@msgnet/shared/contract/album-requests.ts'
import * as callRequests from '@msgnet/shared/contract/call-requests.ts'
import * as changeEnvelopes from '@msgnet/shared/contract/change-envelopes.ts'
import * as eventEnvelopes from '@msgnet/shared/contract/event-envelopes.ts'
import * as groupRequests from '@msgnet/shared/contract/group-requests.ts'
import * as history from '@msgnet/shared/contract/history.ts'
import * as hostRequests from '@msgnet/shared/contract/host-requests.ts'
import * as identityRequests from '@msgnet/shared/contract/identity-requests.ts'
import * as instanceRequests from '@msgnet/shared/contract/instance-requests.ts'
import * as linkRequests from '@msgnet/shared/contract/link-requests.ts'
import * as mediaRequests from '@msgnet/shared/contract/media-requests.ts'
import * as menuRequests from '@msgnet/shared/contract/menu-requests.ts'
import * as messageActionRequests from '@msgnet/shared/contract/message-action-requests.ts'
import * as messageRequests from '@msgnet/shared/contract/message-requests.ts'
import * as passkeyRequests from '@msgnet/shared/contract/passkey-requests.ts'
import * as proxyRequests from '@msgnet/shared/contract/proxy-requests.ts'
import * as replayRequest from '@msgnet/shared/contract/replay-request.ts'
import * as accountResponses from '@msgnet/shared/contract/responses/account-responses.ts'
import * as auditResponses from '@msgnet/shared/contract/responses/audit-responses.ts'
import * as callResponses from '@msgnet/shared/contract/responses/call-responses.ts'
import * as chatResponses from '@msgnet/shared/contract/responses/chat-responses.ts'
import * as diagnosticsResponses from '@msgnet/shared/contract/responses/diagnostics-responses.ts'
import * as errorResponse from '@msgnet/shared/contract/responses/error-response.ts'
import * as eventResponses from '@msgnet/shared/contract/responses/event-responses.ts'
import * as groupResponses from '@msgnet/shared/contract/responses/group-responses.ts'
import * as hostResponses from '@msgnet/shared/contract/responses/host-responses.ts'
import * as instanceResponses from '@msgnet/shared/contract/responses/instance-responses.ts'
import * as limitResponses from '@msgnet/shared/contract/responses/limit-responses.ts'
import * as linkResponses from '@msgnet/shared/contract/responses/link-responses.ts'
import * as mediaResponses from '@msgnet/shared/contract/responses/media-responses.ts'
import * as messageResponses from '@msgnet/shared/contract/responses/message-responses.ts'
import * as overviewResponses from '@msgnet/shared/contract/responses/overview-responses.ts'
import * as pagination from '@msgnet/shared/contract/responses/pagination.ts'
import * as proxyResponses from '@msgnet/shared/contract/responses/proxy-responses.ts'
import * as scopedTokenResponses from '@msgnet/shared/contract/responses/scoped-token-responses.ts'
import * as settingResponses from '@msgnet/shared/contract/responses/setting-responses.ts'
import * as tokenResponses from '@msgnet/shared/contract/responses/token-responses.ts'
import * as webhookResponses from '@msgnet/shared/contract/responses/webhook-responses.ts'
import * as scheduledList from '@msgnet/shared/contract/scheduled-list.ts'
import * as scopedTokenRequests from '@msgnet/shared/contract/scoped-token.ts'
import * as settingRequests from '@msgnet/shared/contract/setting-requests.ts'
import * as statusRequests from '@msgnet/shared/contract/status-requests.ts'
import * as tokenRequests from '@msgnet/shared/contract/token-requests.ts'
import * as webhookRequests from '@msgnet/shared/contract/webhook-requests.ts'
import * as webhooksByIdRequests from '@msgnet/shared/contract/webhooks-by-id-requests.ts'
import * as z from 'zod'

// biome-ignore format: a list of short entries
const modules: Record<string, unknown>[] = [
  accountRequests, albumRequests, callRequests, webhooksByIdRequests, groupRequests, history, hostRequests, identityRequests, instanceRequests,
  linkRequests, mediaRequests, menuRequests, messageActionRequests, messageRequests, passkeyRequests,
  scheduledList,
  proxyRequests, replayRequest, scopedTokenRequests, settingRequests, statusRequests, tokenRequests, webhookRequests,
  accountResponses, auditResponses, callResponses, chatResponses, diagnosticsResponses, errorResponse,
  eventResponses, groupResponses, hostResponses, instanceResponses, limitResponses, linkResponses,
  mediaResponses, messageResponses, overviewResponses, pagination, proxyResponses, scopedTokenResponses, settingResponses,
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

for (const [name, schema] of namedSchemas)
  if (namedSchemas.some(([other, value]) => other === name && value !== schema))
    throw new Error(
      `two schemas are named ${name}: the document would show one of them in place of the other`,
    )
