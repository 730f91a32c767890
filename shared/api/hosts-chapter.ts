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

const transfer = z.object({ name: z.string().describe('As an act has named it.') })

export const hosts = defineChapter({
  title: 'Session hosts',
  description:
    'The processes that hold the sessions, one or more a region. Operators register them; callers never meet them.',
  routes: {
    registerHost: defineRoute({
      method: 'POST',
      path: '/v1/hosts',
      summary: 'Register a host and get its token',
      description: 'The token is in this answer and nowhere else.',
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
      summary: 'Every host with its load',
      auth: 'admin',
      response: describeResponse(HostList, 'Hosts, oldest first.'),
    }),
    drainHost: defineRoute({
      method: 'POST',
      path: '/v1/hosts/{id}/drain',
      summary: 'Empty a host',
      description:
        'It gets no new instances. Its sessions go, one by one, to live hosts that share its store, as far as they have room; where no other host has the store they stay. Over once the host is started anew, or by `DELETE`.',
      auth: 'admin',
      audit: 'host.drain',
      names: 'host',
      response: describeResponse(HostDrained, 'Draining.'),
    }),
    undrainHost: defineRoute({
      method: 'DELETE',
      path: '/v1/hosts/{id}/drain',
      effect: 'changes',
      summary: 'End the draining of a host',
      description:
        'It gets new instances again at once, without a restart. What has gone to other hosts stays there. The same for a host that does not drain.',
      auth: 'admin',
      audit: 'host.undrain',
      names: 'host',
      response: describeResponse(HostDrained, 'It takes instances again.'),
      rawBody: true,
    }),
    renewHostToken: defineRoute({
      method: 'POST',
      path: '/v1/hosts/{id}/token',
      effect: 'destroys',
      summary: 'Give a host another token',
      description:
        'The old one stops at once and its link is closed; whoever holds it loses its sessions when its lease ends. Start the host anew with the new one.',
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
      summary: 'Say how many sessions a host may take',
      description:
        'Holds at once for what is placed from now on; nothing that runs is ended. A host that says less of itself (`HOST_SLOTS`) takes less.',
      auth: 'admin',
      audit: 'host.slots',
      names: 'host',
      body: { schema: HostSlots, samples: { more: { slots: 1000 } } },
      response: describeResponse(HostResized, 'The host as it is now.'),
    }),
    deleteHost: defineRoute({
      method: 'DELETE',
      path: '/v1/hosts/{id}',
      summary: 'Remove a host',
      description:
        'Its token stops at once and its link is closed. 409 while instances are linked there: nobody would find their credentials any more. Drain it first, or delete them.',
      auth: 'admin',
      scope: 'admin',
      audit: 'host.delete',
      names: 'host',
      faults: ['session_conflict'],
      response: describeResponse(HostDeleted, 'Removed.'),
      rawBody: true,
    }),
    openHostLink: defineRoute({
      method: 'GET',
      path: '/hosts/v1/link',
      summary: 'The link that a host dials',
      description: 'A WebSocket with the protocol of the gateway itself. Not for callers.',
      auth: 'host',
      response: { status: 101, description: 'The WebSocket is open.' },
      faults: ['invalid_body'],
    }),
    downloadTransfer: defineRoute({
      method: 'GET',
      path: '/hosts/v1/parcel',
      summary: 'Bytes for a host that are too large for its link',
      description: 'Can be downloaded once, by the host that got the name with an act. Not for callers.',
      auth: 'host',
      query: transfer,
      response: { description: 'The bytes.', type: 'application/octet-stream', schema: z.string() },
      faults: ['invalid_query', 'media_unavailable'],
    }),
    uploadTransfer: defineRoute({
      method: 'PUT',
      path: '/hosts/v1/parcel',
      summary: 'Bytes from a host that are too large for its link',
      description: 'Taken for as long as a request waits for them. Not for callers.',
      auth: 'host',
      query: transfer,
      response: { description: 'They have arrived.' },
      faults: ['invalid_query', 'media_unavailable'],
      rawBody: true,
    }),
  },
})
