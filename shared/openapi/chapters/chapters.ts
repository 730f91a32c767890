// The chapters of the API in reading order.

import type { Chapter } from '../operation.ts'
import { instancesById } from './by-id.ts'
import { calls } from './calls.ts'
import { chats } from './chats.ts'
import { diagnostics } from './diagnostics.ts'
import { events } from './events.ts'
import { groups } from './groups.ts'
import { hosts } from './hosts.ts'
import { instances } from './instances.ts'
import { media } from './media.ts'
import { messageActions } from './message-actions.ts'
import { messages } from './messages.ts'
import { serverWebhook } from './server-webhook.ts'
import { webhooks } from './webhooks.ts'

export const chapters: Chapter[] = [
  instances,
  messages,
  media,
  messageActions,
  chats,
  groups,
  calls,
  webhooks,
  events,
  serverWebhook,
  instancesById,
  hosts,
  diagnostics,
]
