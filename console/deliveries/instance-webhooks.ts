// A webhook of an instance as its pages show it: what it is, how it does, and its name among the others.

import type { WebhookHealth, WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'

/** Of an instance, by the contract (open points, "Destinations"). */
export const MAX_WEBHOOKS = 5

export interface InstanceWebhook {
  health: WebhookHealth
  /** Undefined for a token that may only read, which sees how the first one does, and until the list is loaded. */
  record: WebhookRecord | undefined
}

export const findWebhook = (webhooks: readonly InstanceWebhook[], id: string): InstanceWebhook | undefined =>
  webhooks.find(({ record }) => record?.id === id)

/** As short as the others let it be: the host, or the host with the path. */
export function nameWebhook({ record }: InstanceWebhook, all: readonly InstanceWebhook[]): string {
  if (!record) return ''
  const host = readHost(record.url)
  const isAlone = all.every((other) => other.record === record || readHost(other.record?.url) !== host)
  return isAlone ? host : record.url.replace(/^https?:\/\//, '')
}

const readHost = (url = ''): string => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? url
