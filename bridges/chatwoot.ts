// Contacts write in Chatwoot, agents answer in it: the gateway's webhooks on one side, an inbox of the kind API with its callback on the other.
// docs/use/chatwoot.md says how it is set up.

import { gateway, startBridge } from './bridge.ts'
import { applyChange, archiveChat, enqueueCallback } from './chatwoot/apply-callback.ts'
import { type Callback, type MessageCallback, verifyCallback } from './chatwoot/callback-requests.ts'
import { findEventChat, forwardEvent } from './chatwoot/forward-event.ts'
import { enqueueImport, importChat, importHistory } from './chatwoot/import-history.ts'
import { JobQueue } from './chatwoot/job-queue.ts'
import { sendReply } from './chatwoot/send-reply.ts'
import { updateContact } from './chatwoot/update-contact.ts'

const queue: JobQueue = new JobQueue({
  event: (envelope, job) => forwardEvent(envelope, job, queue),
  contact: updateContact,
  send: sendReply,
  change: (callback: MessageCallback, job) => applyChange(callback, job, queue),
  resolved: archiveChat,
  import: () => importHistory(queue),
  history: importChat,
})

startBridge(
  ['connection', 'messages', 'messages_update', 'messages_edit', 'groups'],
  async (envelope) => {
    if (envelope.EventType === 'connection' || envelope.EventType === 'history')
      enqueueImport(envelope.owner, queue)
    const chat = findEventChat(envelope)
    if (chat) queue.add(`event ${envelope.eventId}`, chat, 'event', envelope)
  },
  async (body, request) => {
    verifyCallback(body, request)
    enqueueCallback(JSON.parse(body) as Callback, queue)
  },
)

// A gateway that is not there yet reports the account when it is.
const status = await gateway
  .status()
  .catch((error: unknown) => console.error('the gateway does not respond:', error))
if (status?.loggedIn) enqueueImport(status.jid.replace(/[:@].*/, ''), queue)
