// The client of one instance, with its own token.

import type { ImportResult, Webhook, WebhookDeleted, WebhookSave } from './api-types.ts'
import { type Connect, createRequestSender, type Lines, type Options } from './request-sender.ts'
import { openStream, type StreamFrom } from './response-lines.ts'
import { createMethods, type Method, type Methods } from './route-methods.ts'

/** Which events are listed. */
export type EventFilter = NonNullable<Parameters<Method<'listEvents'>>[0]>

/** By the instance's own token; or by an admin token of scope `operate`, which then acts for the instance with this id. */
export type ConnectInstance = Connect & ({ token: string } | { adminToken: string; instance: string })

/** The methods that have another name than their route. */
type Renamed =
  | ('getStatus' | 'deleteInstance' | 'getProxy' | 'configureProxy' | 'removeProxy')
  | ('getWebhook' | 'configureWebhook' | 'listDeliveryFailures' | 'testWebhook')
  | ('listEvents' | 'getEvent' | 'redriveEvents')
  | ('createScopedToken' | 'listScopedTokens' | 'deleteScopedToken')

/** One instance. Requests that send or change something have a key: a repeat after a missing response has no second effect. */
export interface InstanceClient extends Omit<Methods<'instance'>, Renamed> {
  status: Method<'getStatus'>
  delete: Method<'deleteInstance'>
  /** Takes over a linked device from another program: its credential as lines of JSON. */
  importCredential(lines: Lines, options?: Options): Promise<ImportResult>
  /** The proxy of the session, used from its next connection on. */
  proxy: { show: Method<'getProxy'>; save: Method<'configureProxy'>; remove: Method<'removeProxy'> }
  webhook: {
    show: Method<'getWebhook'>
    save(webhook: WebhookSave, options?: Options): Promise<Webhook>
    /** Turns delivery off. */
    turnOff(options?: Options): Promise<WebhookDeleted>
    /** Uses the server's webhook. */
    inherit(options?: Options): Promise<Webhook>
    failures: Method<'listDeliveryFailures'>
    /** Sends a signed `test` envelope now and returns the receiver's answer. */
    test: Method<'testWebhook'>
  }
  /** Further tokens of the instance, each with a scope. The token is in the response to `create` only. */
  scopedTokens: {
    create: Method<'createScopedToken'>
    list: Method<'listScopedTokens'>
    delete: Method<'deleteScopedToken'>
  }
  events: Method<'listEvents'>
  /** One event with its envelope and its attempts. */
  event: Method<'getEvent'>
  /** Delivers events again, under the same ids. */
  redrive: Method<'redriveEvents'>
  /**
   * Events as they happen. Resolves once the stream is open; then iterate. A stream that breaks is opened again after its
   * last event, unless `repeats` is `false`; a refusal or the signal ends it.
   */
  stream(from?: StreamFrom): ReturnType<typeof openStream>
}

export function connectInstance(connect: ConnectInstance): InstanceClient {
  const credential = toCredential(connect)
  const call = createRequestSender(connect, credential)
  const methods = createMethods('instance', call)
  const { getStatus, deleteInstance, getProxy, configureProxy, removeProxy, ...more } = methods
  const { getWebhook, configureWebhook, listDeliveryFailures, testWebhook, ...evenMore } = more
  const { listEvents, getEvent, redriveEvents, ...rest } = evenMore
  const { createScopedToken, listScopedTokens, deleteScopedToken, ...others } = rest
  const findLastSeq = async () => (await listEvents({ limit: 1, payload: false })).events[0]?.seq ?? 0
  return {
    ...others,
    status: getStatus,
    delete: deleteInstance,
    importCredential: (lines, options) => call('POST', '/instance/import', { lines, options }),
    proxy: { show: getProxy, save: configureProxy, remove: removeProxy },
    webhook: {
      show: getWebhook,
      save: (webhook, options) => configureWebhook(webhook, options) as Promise<Webhook>,
      turnOff: (options) => configureWebhook({ action: 'delete' }, options) as Promise<WebhookDeleted>,
      inherit: (options) => configureWebhook({ action: 'inherit' }, options) as Promise<Webhook>,
      failures: listDeliveryFailures,
      test: testWebhook,
    },
    scopedTokens: { create: createScopedToken, list: listScopedTokens, delete: deleteScopedToken },
    events: listEvents,
    event: getEvent,
    redrive: redriveEvents,
    stream: (from) => openStream(connect, credential, findLastSeq, from),
  }
}

const toCredential = (connect: ConnectInstance): Record<string, string> =>
  'token' in connect
    ? { token: connect.token }
    : { admintoken: connect.adminToken, instance: connect.instance }
