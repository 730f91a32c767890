// What one instance does, with its own token.

import type * as z from 'zod'
import type { EventList, EventStatus, FailureList, Redriven } from '../contract/answers/event.ts'
import type {
  Connection,
  DeleteResult,
  DisconnectResult,
  RestartResult,
} from '../contract/answers/instance.ts'
import type { ProxyState } from '../contract/answers/proxy.ts'
import type { Webhook, WebhookDeleted, WebhookTested } from '../contract/answers/webhook.ts'
import type { RedriveRequest } from '../contract/events-request.ts'
import type { ConnectRequest } from '../contract/instance.ts'
import type { ProxyRequest } from '../contract/proxy.ts'
import type { WebhookSave } from '../contract/webhook.ts'
import { type Connect, makeCall, type Options } from './call.ts'
import { callCalls } from './calls.ts'
import { groupCalls } from './groups.ts'
import { messageCalls } from './messages.ts'
import { openStream, type StreamFrom } from './stream.ts'

export interface EventFilter {
  /** 1 to 200; 50 unless told. */
  limit?: number
  status?: z.infer<typeof EventStatus>
  /** Only what came after it, oldest first. */
  afterSeq?: number
}

export type InstanceClient = ReturnType<typeof connectInstance>

/** The client of one instance. */
export function connectInstance(connect: Connect & { token: string }) {
  const call = makeCall(connect, { token: connect.token })
  return {
    /** Opens the session, or begins to link a device: by pairing code with a `phone`, else by QR code. */
    connect: (request: z.input<typeof ConnectRequest> = {}, options?: Options) =>
      call<Connection>('POST', '/instance/connect', { body: request, options }),
    status: (options?: Options) => call<Connection>('GET', '/instance/status', { options }),
    /** Logs out and forgets the credential. */
    disconnect: (options?: Options) => call<DisconnectResult>('POST', '/instance/disconnect', { options }),
    /** Opens the session anew and keeps the credential. */
    restart: (options?: Options) => call<RestartResult>('POST', '/instance/restart', { options }),
    delete: (options?: Options) => call<DeleteResult>('DELETE', '/instance', { options }),
    /** By which way the session reaches the network, from its next connection on. */
    proxy: {
      show: (options?: Options) => call<ProxyState>('GET', '/instance/proxy', { options }),
      save: (proxy: z.input<typeof ProxyRequest>, options?: Options) =>
        call<ProxyState>('POST', '/instance/proxy', { body: proxy, options }),
      remove: (options?: Options) => call<ProxyState>('DELETE', '/instance/proxy', { options }),
    },

    ...messageCalls(call),
    ...groupCalls(call),
    ...callCalls(call),

    webhook: {
      show: (options?: Options) => call<Webhook>('GET', '/webhook', { options }),
      save: (webhook: z.input<typeof WebhookSave>, options?: Options) =>
        call<Webhook>('POST', '/webhook', { body: webhook, options }),
      /** Delivers nothing any more. */
      turnOff: (options?: Options) =>
        call<z.infer<typeof WebhookDeleted>>('POST', '/webhook', { body: { action: 'delete' }, options }),
      /** Follows the webhook of the whole server. */
      inherit: (options?: Options) =>
        call<Webhook>('POST', '/webhook', { body: { action: 'inherit' }, options }),
      failures: (options?: Options) => call<FailureList>('GET', '/webhook/errors', { options }),
      /** Sends a signed `test` envelope now and tells what the receiver said. */
      test: (options?: Options) => call<WebhookTested>('POST', '/webhook/test', { options }),
    },
    events: (filter: EventFilter = {}, options?: Options) =>
      call<EventList>('GET', '/v1/events', { query: { ...filter }, options }),
    /** Delivers events again, under the same ids. */
    redrive: (which: z.input<typeof RedriveRequest>, options?: Options) =>
      call<Redriven>('POST', '/v1/events/replay', { body: which, options }),
    stream: (from?: StreamFrom) => openStream(connect, from),
  }
}
