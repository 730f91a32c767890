// The chapter on session hosts: the processes that run the sessions, registered by the operator.

import * as z from 'zod'
import { HostRequest, HostSlots } from '../contract/host-requests.ts'
import {
  HostDeleted,
  HostDrained,
  HostList,
  HostRegistered,
  HostResized,
} from '../contract/responses/host-responses.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'

const transfer = z.object({ name: z.string().describe('The name from an act.') })

export const hosts = defineChapter({
  title: 'Session hosts',
  description:
    'Session hosts are the processes that run the sessions, one or more a region. Operators register them; callers never use them.',
  routes: {
    registerHost: defineRoute({
      method: 'POST',
      path: '/v1/hosts',
      summary: 'Registers a host and returns its token',
      description: 'Only this response contains the token.',
      auth: 'admin',
      scope: 'admin',
      audit: 'host.create',
      body: { schema: HostRequest, samples: { 'a region': { region: 'eu-west', slots: 500 } } },
      response: describeResponse(HostRegistered, 'The host with its token.'),
      holdsToken: true,
    }),
    listHosts: defineRoute({
      method: 'GET',
      path: '/v1/hosts',
      summary: 'Lists all hosts with their load',
      auth: 'admin',
      conditional: true,
      response: describeResponse(HostList, 'The hosts, oldest first.'),
    }),
    drainHost: defineRoute({
      method: 'POST',
      path: '/v1/hosts/{id}/drain',
      summary: 'Drains a host',
      description:
        'The host gets no new instances. Its sessions move, one by one, to live hosts that share its store, as far as these have room. If no other host has the store, the sessions stay. Draining ends when the host restarts, or by `DELETE`.',
      auth: 'admin',
      audit: 'host.drain',
      names: 'host',
      response: describeResponse(HostDrained, 'The host is draining.'),
    }),
    undrainHost: defineRoute({
      method: 'DELETE',
      path: '/v1/hosts/{id}/drain',
      effect: 'changes',
      summary: 'Ends the draining of a host',
      description:
        'The host gets new instances again at once, without a restart. Sessions that have moved to other hosts stay there. For a host that is not draining, the response is the same.',
      auth: 'admin',
      audit: 'host.undrain',
      names: 'host',
      response: describeResponse(HostDrained, 'The host gets instances again.'),
      rawBody: true,
    }),
    renewHostToken: defineRoute({
      method: 'POST',
      path: '/v1/hosts/{id}/token',
      effect: 'destroys',
      summary: 'Replaces the token of a host',
      description:
        'The old token becomes invalid at once, and its link is closed. A host that still uses it loses its sessions when its lease ends. Restart the host with the new token.',
      auth: 'admin',
      scope: 'admin',
      audit: 'host.token',
      names: 'host',
      response: describeResponse(HostRegistered, 'The new token.'),
      holdsToken: true,
    }),
    resizeHost: defineRoute({
      method: 'POST',
      path: '/v1/hosts/{id}/slots',
      summary: 'Sets how many sessions a host may run',
      description:
        'The number applies at once to sessions that are placed from now on; no running session ends. A host that sets a lower number for itself (`HOST_SLOTS`) runs fewer.',
      auth: 'admin',
      audit: 'host.slots',
      names: 'host',
      body: { schema: HostSlots, samples: { more: { slots: 1000 } } },
      response: describeResponse(HostResized, 'The host as it is now.'),
    }),
    deleteHost: defineRoute({
      method: 'DELETE',
      path: '/v1/hosts/{id}',
      summary: 'Removes a host',
      description:
        'Its token becomes invalid at once, and its link is closed. The response is 409 while instances are linked there, because their credentials could not be found any more. Drain the host first, or delete the instances.',
      auth: 'admin',
      scope: 'admin',
      audit: 'host.delete',
      names: 'host',
      faults: ['session_conflict'],
      response: describeResponse(HostDeleted, 'The host is removed.'),
      rawBody: true,
    }),
    openHostLink: defineRoute({
      method: 'GET',
      path: '/hosts/v1/link',
      summary: 'Opens the link of a host',
      description: 'This is a WebSocket with the protocol of the gateway itself. It is not for callers.',
      auth: 'host',
      response: { status: 101, description: 'The WebSocket is open.' },
      faults: ['invalid_body'],
    }),
    downloadTransfer: defineRoute({
      method: 'GET',
      path: '/hosts/v1/parcel',
      summary: 'Returns bytes for a host that are too large for its link',
      description:
        'The bytes can be downloaded once, by the host that got the name with an act. This route is not for callers.',
      auth: 'host',
      query: transfer,
      response: { description: 'The bytes.', type: 'application/octet-stream', schema: z.string() },
      faults: ['invalid_query', 'media_unavailable'],
    }),
    uploadTransfer: defineRoute({
      method: 'PUT',
      path: '/hosts/v1/parcel',
      summary: 'Receives bytes from a host that are too large for its link',
      description:
        'The bytes are accepted for as long as a request waits for them. This route is not for callers.',
      auth: 'host',
      query: transfer,
      response: { description: 'The bytes have arrived.' },
      faults: ['invalid_query', 'media_unavailable'],
      rawBody: true,
    }),
  },
})
