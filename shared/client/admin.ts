// What the admin does: instances made, listed and acted upon by their id, session hosts, what the server can do.

import type * as z from 'zod'
import type { Capabilities, Live, Ready } from '../contract/answers/diagnostics.ts'
import type {
  HostDeleted,
  HostDrained,
  HostList,
  HostRegistered,
  HostResized,
} from '../contract/answers/host.ts'
import type {
  Connection,
  DeleteResult,
  DisconnectResult,
  InitResult,
  InstanceList,
  RestartResult,
  TokenResult,
} from '../contract/answers/instance.ts'
import type { ServerWebhook } from '../contract/answers/webhook.ts'
import type { HostRequest } from '../contract/host.ts'
import type { ConnectRequest, InitRequest } from '../contract/instance.ts'
import type { WebhookSave } from '../contract/webhook.ts'
import { type Connect, makeCall, type Options, type Repeatable } from './call.ts'
import { connectInstance } from './instance.ts'

export type AdminClient = ReturnType<typeof connectAdmin>

/** The client of the operator. */
export function connectAdmin(connect: Connect & { adminToken: string }) {
  const call = makeCall(connect, { admintoken: connect.adminToken })
  const { adminToken: _, ...place } = connect
  const at = (id: string) => `/v1/instances/${encodeURIComponent(id)}`
  return {
    /** The client of an instance, by its token. */
    instance: (token: string) => connectInstance({ ...place, token }),

    instances: {
      /** The token in the answer is told this once. */
      create: (request: z.input<typeof InitRequest>, options?: Repeatable) =>
        call<InitResult>('POST', '/instance/init', { body: request, options, once: true }),
      list: (filter: { companyId?: string } = {}, options?: Options) =>
        call<InstanceList>('GET', '/instance/all', { query: { ...filter }, options }),
      status: (id: string, options?: Options) => call<Connection>('GET', at(id), { options }),
      connect: (id: string, request: z.input<typeof ConnectRequest> = {}, options?: Options) =>
        call<Connection>('POST', `${at(id)}/connect`, { body: request, options }),
      disconnect: (id: string, options?: Options) =>
        call<DisconnectResult>('POST', `${at(id)}/disconnect`, { options }),
      restart: (id: string, options?: Options) =>
        call<RestartResult>('POST', `${at(id)}/restart`, { options }),
      delete: (id: string, options?: Options) => call<DeleteResult>('DELETE', at(id), { options }),
      /** The old token stops at once. */
      renewToken: (id: string, options?: Options) =>
        call<TokenResult>('POST', `${at(id)}/token`, { options }),
    },
    hosts: {
      register: (request: z.input<typeof HostRequest>, options?: Options) =>
        call<HostRegistered>('POST', '/v1/hosts', { body: request, options }),
      list: (options?: Options) => call<HostList>('GET', '/v1/hosts', { options }),
      /** No new instances; those it has go to hosts that share its store. */
      drain: (id: string, options?: Options) =>
        call<HostDrained>('POST', `/v1/hosts/${encodeURIComponent(id)}/drain`, { options }),
      /** The old token stops at once, and its link is closed. */
      renewToken: (id: string, options?: Options) =>
        call<HostRegistered>('POST', `/v1/hosts/${encodeURIComponent(id)}/token`, { options }),
      /** How many sessions it may take from now on. */
      resize: (id: string, slots: number, options?: Options) =>
        call<HostResized>('POST', `/v1/hosts/${encodeURIComponent(id)}/slots`, { body: { slots }, options }),
      delete: (id: string, options?: Options) =>
        call<HostDeleted>('DELETE', `/v1/hosts/${encodeURIComponent(id)}`, { options }),
    },
    /** The webhook of the whole server: it goes for every instance that has made no choice of its own. */
    webhook: {
      show: (options?: Options) => call<ServerWebhook>('GET', '/v1/webhook', { options }),
      save: (webhook: z.input<typeof WebhookSave>, options?: Options) =>
        call<ServerWebhook>('POST', '/v1/webhook', { body: webhook, options }),
      delete: (options?: Options) =>
        call<ServerWebhook>('POST', '/v1/webhook', { body: { action: 'delete' }, options }),
    },
    capabilities: (options?: Options) => call<Capabilities>('GET', '/v1/capabilities', { options }),
    live: (options?: Options) => call<Live>('GET', '/health/live', { options }),
    ready: (options?: Options) => call<Ready>('GET', '/health/ready', { options }),
    /** The API as an OpenAPI 3.1 document. */
    openapi: (options?: Options) => call<{ openapi: string }>('GET', '/openapi.json', { options }),
  }
}
