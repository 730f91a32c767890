// The client of the admin: instances by their id, session hosts, admin tokens, the audit log, and the server's capabilities.

import type { ImportResult, WebhookSave } from './api-types.ts'
import { connectInstance } from './instance-client.ts'
import {
  type Connect,
  createRequestSender,
  type Lines,
  type Options,
  type SendRequest,
} from './request-sender.ts'
import { openExport } from './response-lines.ts'
import { createMethods, type Methods } from './route-methods.ts'

export type AdminClient = ReturnType<typeof connectAdmin>

/** The client of the operator. */
export function connectAdmin(connect: Connect & { adminToken: string }) {
  const call = createRequestSender(connect, { admintoken: connect.adminToken })
  const admin = createMethods('admin', call)
  const open = createMethods('none', call)
  return {
    /** The client of an instance, by its token. */
    instance: (token: string) => connectInstance({ ...connect, token }),

    /** How many instances, webhooks, events and hosts are in which state. */
    overview: admin.getOverview,
    instances: groupInstances(admin, connect, call),
    hosts: groupHosts(admin),
    /** Admin tokens beside the one of the environment. */
    tokens: {
      /** The token is in this response only. */
      create: admin.createToken,
      list: admin.listTokens,
      /** The old value stops at once, or after so many seconds of `overlap`. */
      renew: admin.renewToken,
      delete: admin.deleteToken,
    },
    /** Events of an `instance`, or of all about one `messageid`; with payloads from the scope `operate` up. */
    events: createMethods('instance', call).listEvents,
    /** One event with its attempts; with payload and envelope from the scope `operate` up. */
    event: createMethods('instance', call).getEvent,
    /** Who administered what, newest first. */
    audit: admin.listAudit,
    /** The webhook of the whole server: it goes for every instance that has made no choice of its own. */
    webhook: {
      show: admin.getServerWebhook,
      save: (webhook: WebhookSave, options?: Options) => admin.configureServerWebhook(webhook, options),
      delete: (options?: Options) => admin.configureServerWebhook({ action: 'delete' }, options),
    },
    capabilities: admin.getCapabilities,
    live: open.checkLive,
    ready: open.checkReady,
    /** The API as an OpenAPI 3.1 document. */
    openapi: open.getOpenapi,
  }
}

/** Instances by their ids. */
const groupInstances = (
  admin: Methods<'admin'>,
  connect: Connect & { adminToken: string },
  call: SendRequest,
) => ({
  /** The token is in this response only. */
  create: admin.createInstance,
  list: admin.listInstances,
  /** A page of those that match, with the state of each. */
  search: admin.searchInstances,
  status: admin.getStatusById,
  connect: admin.connectById,
  sendPasskey: admin.sendPasskeyById,
  disconnect: admin.disconnectById,
  restart: admin.restartById,
  delete: admin.deleteInstanceById,
  /** The old token stops at once, or after so many seconds of `overlap`. */
  renewToken: admin.renewTokenById,
  /** One-time links for the person with the phone. The URL is in the response to `create` only. */
  links: { create: admin.createLink, list: admin.listLinks, delete: admin.deleteLink },
  /** Further tokens of it, each with a scope. The token is in the response to `create` only. */
  scopedTokens: {
    create: admin.createScopedTokenById,
    list: admin.listScopedTokensById,
    delete: admin.deleteScopedTokenById,
  },
  /** Takes over a linked device from another program: its credential as lines of JSON. */
  import: (id: string, lines: Lines, options?: Options): Promise<ImportResult> =>
    call('POST', `/v1/instances/${encodeURIComponent(id)}/import`, { lines, options }),
  /** Everything that is stored of it, line by line. */
  export: (id: string, options?: Omit<Options, 'waitSeconds'>) => openExport(connect, id, options),
})

/** Session hosts. */
const groupHosts = (admin: Methods<'admin'>) => ({
  register: admin.registerHost,
  list: admin.listHosts,
  /** No new instances; those it has go to hosts that share its store. */
  drain: admin.drainHost,
  /** It takes new instances again. */
  undrain: admin.undrainHost,
  /** The old token stops at once, and its link is closed. */
  renewToken: admin.renewHostToken,
  /** How many sessions it may take from now on. */
  resize: (id: string, slots: number, options?: Options) => admin.resizeHost(id, { slots }, options),
  delete: admin.deleteHost,
})
