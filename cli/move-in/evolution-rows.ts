// What an account of Evolution API has in its tables, in the words of this gateway.

import * as z from 'zod'
import type { MovingAccount } from './moving-source.ts'

const Flag = z.boolean().nullish()

/** Rows of `Instance`, `Session`, `Webhook`, `Setting` and `Proxy`; versions differ in what else they have. */
export const EvolutionRow = z.object({
  instance: z.object({
    id: z.string(),
    name: z.string(),
    connectionStatus: z.string(),
    integration: z.string().nullish(),
    updatedAt: z.string().nullish(),
  }),
  /** JSON of a text of JSON. */
  creds: z.string().nullish(),
  webhook: z
    .object({
      url: z.string(),
      enabled: Flag,
      events: z.array(z.string()).nullish(),
      headers: z.record(z.string(), z.unknown()).nullish(),
      webhookByEvents: Flag,
      webhookBase64: Flag,
    })
    .nullish(),
  setting: z.record(z.string(), z.unknown()).nullish(),
  proxy: z
    .object({
      enabled: Flag,
      protocol: z.string(),
      host: z.string(),
      port: z.string(),
      username: z.string().nullish(),
      password: z.string().nullish(),
    })
    .nullish(),
})
export type EvolutionRow = z.infer<typeof EvolutionRow>

/** The table of events. */
const EVENT_NAMES: Record<string, string> = {
  MESSAGES_UPSERT: 'messages',
  SEND_MESSAGE: 'messages',
  MESSAGES_UPDATE: 'messages_update',
  MESSAGES_DELETE: 'messages_update',
  MESSAGES_EDITED: 'messages_edit',
  SEND_MESSAGE_UPDATE: 'messages_edit',
  MESSAGES_SET: 'history',
  CONNECTION_UPDATE: 'connection',
  STATUS_INSTANCE: 'connection',
  LOGOUT_INSTANCE: 'connection',
  GROUPS_UPSERT: 'groups',
  GROUPS_UPDATE: 'groups',
  GROUP_UPDATE: 'groups',
  GROUP_PARTICIPANTS_UPDATE: 'groups',
  CALL: 'call',
  PRESENCE_UPDATE: 'presence',
}

/** `without`: those that have no counterpart. */
function translateEvents(names: readonly string[]): { events: string[]; without: string[] } {
  const found = names.flatMap((name) => EVENT_NAMES[name] ?? [])
  return { events: [...new Set(found)], without: names.filter((name) => !(name in EVENT_NAMES)) }
}

/** They are of instances there, and of nothing here. */
const OTHER_SETTINGS = ['rejectCall', 'alwaysOnline', 'readMessages', 'readStatus']

type Brought = Pick<MovingAccount, 'webhook' | 'proxy' | 'notMoved'>

export function translateSettings({ webhook, setting, proxy }: EvolutionRow): Brought {
  const notMoved = OTHER_SETTINGS.filter((name) => setting?.[name] === true).map(
    (name) => `the setting ${name}`,
  )
  const brought: Brought = { notMoved, proxy: proxy?.enabled ? formatProxy(proxy) : undefined }
  if (!webhook) return brought
  if (!webhook.enabled) return { ...brought, notMoved: [...notMoved, 'its webhook, which is turned off'] }
  const { events, without } = translateEvents(webhook.events ?? [])
  if (without.length > 0) notMoved.push(`the events ${without.join(', ')}`)
  if (webhook.webhookByEvents) notMoved.push('a path for each event')
  if (webhook.webhookBase64) notMoved.push('files in base64 in its webhook')
  if (events.length === 0)
    return { ...brought, notMoved: [...notMoved, 'its webhook, which has no event of ours'] }
  const { jwt_key, ...headers } = webhook.headers ?? {}
  if (jwt_key !== undefined) notMoved.push('the signed token of its webhook')
  return {
    ...brought,
    webhook: {
      url: webhook.url,
      events,
      ...(setting?.groupsIgnore === true && { excludeMessages: 'isGroupYes' as const }),
      ...(Object.keys(headers).length > 0 && {
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      }),
    },
  }
}

function formatProxy({
  protocol,
  host,
  port,
  username,
  password,
}: NonNullable<EvolutionRow['proxy']>): string {
  const user = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password ?? '')}@` : ''
  return `${protocol}://${user}${host}:${port}`
}

/** There the text is JSON twice over. */
export function readStoredCreds(creds: string | null | undefined): string | undefined {
  if (!creds) return undefined
  try {
    const inner: unknown = JSON.parse(creds)
    return typeof inner === 'string' ? inner : creds
  } catch {
    return creds
  }
}
