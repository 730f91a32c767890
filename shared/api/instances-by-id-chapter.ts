// The chapter on routes by which the admin uses an instance by its id, without its token.

import * as z from 'zod'
import { TokenResult } from '../contract/responses/instance-responses.ts'
import { RenewRequest } from '../contract/token-requests.ts'
import {
  connect,
  disconnect,
  importCredential,
  remove,
  restart,
  sendPasskey,
  status,
} from './instances-chapter.ts'
import { defineChapter, defineRoute, describeResponse, type Route } from './route-declaration.ts'

/** The same route for the admin. */
const toAdminRoute = <R extends Route>(path: Route['path'], route: R) => ({
  ...(route as Omit<R, 'path' | 'auth' | 'names'>),
  ...({ path, auth: 'admin', names: 'instance' } as const),
})

export const instancesById = defineChapter({
  title: 'Instances by id',
  description: 'The admin can do by id what an instance can do with its token. The effects are the same.',
  routes: {
    getStatusById: toAdminRoute('/v1/instances/{id}', { ...status, conditional: true }),
    deleteInstanceById: toAdminRoute('/v1/instances/{id}', remove),
    connectById: toAdminRoute('/v1/instances/{id}/connect', connect),
    sendPasskeyById: toAdminRoute('/v1/instances/{id}/connect/passkey', sendPasskey),
    importCredentialById: toAdminRoute('/v1/instances/{id}/import', importCredential),
    disconnectById: toAdminRoute('/v1/instances/{id}/disconnect', disconnect),
    restartById: toAdminRoute('/v1/instances/{id}/restart', restart),
    exportInstance: defineRoute({
      method: 'GET',
      path: '/v1/instances/{id}/export',
      summary: 'Exports everything stored about the instance',
      description:
        "The response is lines of JSON. Each has its `type` and the record under that name: `message`, `file` (what is known of a message's file), `scheduled` (a message with `sendAt` that waits), `chat`, `chatSettings`, `group`, `contact`, `label`, `chatLabel`, `call`, `blocked`, `instance`, `proxy`, `webhook` without its secret, `furtherWebhook` for each webhook beside the first, `scopedToken` without its value, and `event` with its deliveries. The last line is `end` with how many records there were. If the export breaks off, the last line is of type `error`. The device need not be connected, but its session host must be linked.",
      auth: 'admin',
      scope: 'operate',
      audit: 'instance.export',
      names: 'instance',
      response: {
        description: 'The lines.',
        schema: z.string(),
        type: 'application/x-ndjson',
      },
      faults: ['session_owned_elsewhere', 'msgnet_unreachable', 'outcome_unknown', 'storage_unavailable'],
    }),
    renewTokenById: defineRoute({
      method: 'POST',
      path: '/v1/instances/{id}/token',
      effect: 'destroys',
      summary: 'Replaces the token of the instance',
      description:
        'The old token becomes invalid at once, or after `overlap` seconds. The streams and links that were requested with it end then. At most two tokens are valid at a time. Only this response contains the new token.',
      auth: 'admin',
      audit: 'instance.token',
      names: 'instance',
      body: {
        schema: RenewRequest,
        optional: true,
        samples: { 'at once': {}, 'both valid for an hour': { overlap: 3600 } },
      },
      response: describeResponse(TokenResult, 'The new token.'),
      holdsToken: true,
    }),
  },
})
