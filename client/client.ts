// The typed client: what the package `msgnet-gateway-client` exports. It needs `fetch` and WebCrypto, and nothing else.

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
