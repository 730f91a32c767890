// The whole API: its chapters in reading order, and every route under its name.

import { account } from './account-chapter.ts'
import { audit } from './audit-chapter.ts'
import { calls } from './calls-chapter.ts'
import { chats } from './chats-chapter.ts'
import { diagnostics } from './diagnostics-chapter.ts'
import { events } from './events-chapter.ts'
import { groupSettings } from './group-settings-chapter.ts'
import { groups } from './groups-chapter.ts'
import { hosts } from './hosts-chapter.ts'
import { instancesById } from './instances-by-id-chapter.ts'
import { instances } from './instances-chapter.ts'
import { links } from './links-chapter.ts'
import { media } from './media-chapter.ts'
import { messageActions } from './message-actions-chapter.ts'
import { messages } from './messages-chapter.ts'
import { overview } from './overview-chapter.ts'
import type { Chapter, Route } from './route-declaration.ts'
import { scheduled } from './scheduled-chapter.ts'
import { scopedTokens } from './scoped-tokens-chapter.ts'
import { serverWebhook } from './server-webhook-chapter.ts'
import { settings } from './settings-chapter.ts'
import { tokens } from './tokens-chapter.ts'
import { webhooksById } from './webhooks-by-id-chapter.ts'
import { webhooks } from './webhooks-chapter.ts'

export const chapters: Chapter[] = [
  instances,
  account,
  messages,
  media,
  scheduled,
  messageActions,
  chats,
  settings,
  groups,
  groupSettings,
  calls,
  webhooks,
  webhooksById,
  events,
  serverWebhook,
  overview,
  instancesById,
  links,
  scopedTokens,
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
  ...scheduled.routes,
  ...messageActions.routes,
  ...chats.routes,
  ...settings.routes,
  ...groups.routes,
  ...groupSettings.routes,
  ...calls.routes,
  ...webhooks.routes,
  ...webhooksById.routes,
  ...events.routes,
  ...serverWebhook.routes,
  ...overview.routes,
  ...instancesById.routes,
  ...links.routes,
  ...scopedTokens.routes,
  ...hosts.routes,
  ...tokens.routes,
  ...audit.routes,
  ...diagnostics.routes,
} satisfies Record<string, Route>
