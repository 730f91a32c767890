// The webhooks of an instance with the health of each, for every page of the instance.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { WebhookHealth, WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { useLoad } from '../ui/use-load.ts'
import type { InstanceWebhook } from './instance-webhooks.ts'

const RELOAD_MS = 10_000

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

const toHealth = ({ enabled, deliveryStatus }: WebhookRecord): WebhookHealth => ({
  registered: true,
  inheritedGlobal: false,
  enabled,
  deliveryStatus,
})
