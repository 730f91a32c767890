// The exports of the package `msgnet-gateway-client`, the typed client. It needs only `fetch` and WebCrypto.

export { type AdminClient, connectAdmin } from './admin-client.ts'
export type * from './api-types.ts'
export { GatewayError, GatewayUnreachable } from './errors.ts'
export {
  type ConnectInstance,
  connectInstance,
  type EventFilter,
  type InstanceClient,
} from './instance-client.ts'
export type { Repeats } from './repeats.ts'
export type { Connect, Options, Repeatable } from './request-sender.ts'
export type { ExportLine, StreamFrom } from './response-lines.ts'
export { type RefusalReason, verifyWebhook, WebhookRefused } from './verify-webhook.ts'
