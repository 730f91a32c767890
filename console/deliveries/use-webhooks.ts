// The webhooks of an instance with the health of each, for every page of the instance.

import type { InstanceClient } from '../../client/instance-client.ts'
import type { FurtherWebhook, WebhookHealth } from '../../shared/contract/responses/webhook-responses.ts'
import { useLoad } from '../ui/use-load.ts'

const RELOAD_MS = 10_000
/** The contract's (open points, "Destinations"). */
export const MAX_WEBHOOKS = 5

export interface InstanceWebhook {
  health: WebhookHealth
  /** Undefined for a token that may only read, which sees how the first one does, and until the list is loaded. */
  record: FurtherWebhook | undefined
}

export type Webhooks = ReturnType<typeof useWebhooks>

/** `first`: from the status of the instance; it may be off. */
export function useWebhooks(client: InstanceClient | undefined, first: WebhookHealth) {
  const { value, error, reload } = useLoad(
    async () => (client ? (await client.listWebhooks()).webhooks : []),
    [client],
    client ? RELOAD_MS : 0,
  )
  const records = value ?? []
  const others = records
    .filter((record) => !record.first)
    .map((record): InstanceWebhook => ({ record, health: toHealth(record) }))
  const firstWebhook: InstanceWebhook = { record: records.find((record) => record.first), health: first }
  return {
    first: firstWebhook,
    others,
    /** Those that get events. */
    active: first.registered ? [firstWebhook, ...others] : others,
    isLoaded: value !== undefined,
    error,
    reload,
  }
}

const toHealth = ({ enabled, deliveryStatus }: FurtherWebhook): WebhookHealth => ({
  registered: true,
  inheritedGlobal: false,
  enabled,
  deliveryStatus,
})

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
