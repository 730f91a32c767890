// The exports of the package `msgnet-gateway-client`, the typed client. It needs only `fetch` and WebCrypto.

export type * from '../shared/contract/event-envelopes.ts'
export type * from '../shared/contract/responses/event-responses.ts'
export type * from '../shared/contract/responses/instance-responses.ts'
export type * from '../shared/contract/responses/message-responses.ts'
export type * from '../shared/contract/responses/webhook-responses.ts'
export { type AdminClient, connectAdmin } from './admin-client.ts'
export { type ErrorCode, GatewayError, GatewayUnreachable } from './errors.ts'
export {
  type ConnectInstance,
  connectInstance,
  type EventFilter,
  type InstanceClient,
} from './instance-client.ts'
export type { Connect, Options, Repeatable } from './request-sender.ts'
export { type RefusalReason, verifyWebhook, WebhookRefused } from './verify-webhook.ts'
