// The whole API: its chapters in reading order, and every route under its name.

import { account } from './account.ts'
import { audit } from './audit.ts'
import { instancesById } from './by-id.ts'
import { calls } from './calls.ts'
import { chats } from './chats.ts'
import { diagnostics } from './diagnostics.ts'
import { events } from './events.ts'
import { groupSettings } from './group-settings.ts'
import { groups } from './groups.ts'
import { hosts } from './hosts.ts'
import { instances } from './instances.ts'
import { media } from './media.ts'
import { messageActions } from './message-actions.ts'
import { messages } from './messages.ts'
import type { Chapter, Route } from './route.ts'
import { serverWebhook } from './server-webhook.ts'
import { settings } from './settings.ts'
import { tokens } from './tokens.ts'
import { webhooks } from './webhooks.ts'

export const chapters: Chapter[] = [
  instances,
  account,
  messages,
  media,
  messageActions,
  chats,
  settings,
  groups,
  groupSettings,
  calls,
  webhooks,
  events,
  serverWebhook,
  instancesById,
  hosts,
  tokens,
  audit,
  diagnostics,
]

export const routes = {
  ...instances.routes,
  ...account.routes,
  ...messages.routes,
  ...media.routes,
  ...messageActions.routes,
  ...chats.routes,
  ...settings.routes,
  ...groups.routes,
  ...groupSettings.routes,
  ...calls.routes,
  ...webhooks.routes,
  ...events.routes,
  ...serverWebhook.routes,
  ...instancesById.routes,
  ...hosts.routes,
  ...tokens.routes,
  ...audit.routes,
  ...diagnostics.routes,
} satisfies Record<string, Route>
