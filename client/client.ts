// The exports of the package `msgnet-gateway-client`, the typed client. It needs only `fetch` and WebCrypto.

export type * from '../shared/contract/answers/event.ts'
export type * from '../shared/contract/answers/instance.ts'
export type * from '../shared/contract/answers/message.ts'
export type * from '../shared/contract/answers/webhook.ts'
export type * from '../shared/contract/envelopes.ts'
export { type AdminClient, connectAdmin } from './admin.ts'
export type { Connect, Options, Repeatable } from './call.ts'
export { type ErrorCode, GatewayError, GatewayUnreachable } from './errors.ts'
export { connectInstance, type EventFilter, type InstanceClient } from './instance.ts'
export { type RefusalReason, verifyWebhook, WebhookRefused } from './webhook.ts'
