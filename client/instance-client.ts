// The client of one instance, with its own token.

import type * as z from 'zod'
import type { EventName } from '../shared/contract/event-names.ts'
import type { EventStatus } from '../shared/contract/responses/event-responses.ts'
import type { Webhook, WebhookDeleted } from '../shared/contract/responses/webhook-responses.ts'
import type { WebhookSave } from '../shared/contract/webhook-requests.ts'
import { type Connect, createRequestSender, type Options } from './request-sender.ts'
import { openStream, type StreamFrom } from './response-lines.ts'
import { createMethods } from './route-methods.ts'

export interface EventFilter {
  /** 1 to 200; 50 by default. */
  limit?: number
  status?: z.infer<typeof EventStatus>
  type?: EventName
  /** Only events about this message. */
  messageid?: string
  /** RFC 3339: when they were stored. The first is included, the second is not. */
  from?: string
  to?: string
  /** Only events after this one, oldest first. */
  afterSeq?: number
  /** Only events before this one. */
  beforeSeq?: number
  /** `true`: only events that no webhook was to receive; `false`: only the others. */
  unaddressed?: boolean
  /** `false`: without payloads and responses of receivers. */
  payload?: boolean
}

/** By the instance's own token; or by an admin token of scope `operate`, which then acts for the instance with this id. */
export type ConnectInstance = Connect & ({ token: string } | { adminToken: string; instance: string })

export type InstanceClient = ReturnType<typeof connectInstance>

/** The client of one instance. Requests that send or change something have a key: a repeat after a missing response has no second effect. */
export function connectInstance(connect: ConnectInstance) {
  const credential = toCredential(connect)
  const methods = createMethods('instance', createRequestSender(connect, credential))
  const { getStatus, deleteInstance, getProxy, configureProxy, removeProxy, ...more } = methods
  const { getWebhook, configureWebhook, listDeliveryFailures, testWebhook, ...evenMore } = more
  // The method of every other route has the route's name.
  const { listEvents, getEvent, redriveEvents, streamEvents: _, putMessage: __, ...others } = evenMore
  return {
    ...others,
    status: getStatus,
    delete: deleteInstance,
    /** The proxy of the session, used from its next connection on. */
    proxy: { show: getProxy, save: configureProxy, remove: removeProxy },
    webhook: {
      show: getWebhook,
      save: (webhook: z.input<typeof WebhookSave>, options?: Options) =>
        configureWebhook(webhook, options) as Promise<Webhook>,
      /** Turns delivery off. */
      turnOff: (options?: Options) =>
        configureWebhook({ action: 'delete' }, options) as Promise<z.infer<typeof WebhookDeleted>>,
      /** Uses the server's webhook. */
      inherit: (options?: Options) => configureWebhook({ action: 'inherit' }, options) as Promise<Webhook>,
      failures: listDeliveryFailures,
      /** Sends a signed `test` envelope now and returns the receiver's answer. */
      test: testWebhook,
    },
    events: listEvents,
    /** One event with its envelope and its attempts. */
    event: getEvent,
    /** Delivers events again, under the same ids. */
    redrive: redriveEvents,
    stream: (from?: StreamFrom) => openStream(connect, credential, from),
  }
}

const toCredential = (connect: ConnectInstance): Record<string, string> =>
  'token' in connect
    ? { token: connect.token }
    : { admintoken: connect.adminToken, instance: connect.instance }
