// The chapter on session hosts: the processes that hold the sessions, registered by the operator.

import * as z from 'zod'
import {
  HostDeleted,
  HostDrained,
  HostList,
  HostRegistered,
  HostResized,
} from '../../contract/answers/host.ts'
import { HostRequest, HostSlots } from '../../contract/host.ts'
import { answers, type Chapter } from '../operation.ts'
import * as sample from '../samples.ts'

const parcel = z.object({ name: z.string().describe('As an act has told it.') })

export const hosts: Chapter = {
  title: 'Session hosts',
  says: 'The processes that hold the sessions, one or more a region. Operators register them; callers never meet them.',
  operations: {
    'POST /v1/hosts': {
      id: 'registerHost',
      summary: 'Register a host and get its token',
      says: 'The token is in this answer and nowhere else.',
      who: 'admin',
      body: { schema: HostRequest, examples: { 'a region': { region: 'eu-west', slots: 500 } } },
      answers: answers(HostRegistered, 'The host with its token.', {
        host: { ...sample.host, live: false, sessions: 0, lag: 0, leaseUntil: '' },
        token: sample.hostToken,
      }),
    },
    'GET /v1/hosts': {
      id: 'listHosts',
      summary: 'Every host with its load',
      who: 'admin',
      answers: answers(HostList, 'Hosts, oldest first.', { hosts: [sample.host] }),
    },
    'POST /v1/hosts/{id}/drain': {
      id: 'drainHost',
      summary: 'Empty a host',
      says: 'It gets no new instances. Its sessions go, one by one, to live hosts that share its store, as far as they have room; where no other host has the store they stay. Over once the host is started anew.',
      who: 'admin',
      named: 'host',
      answers: answers(HostDrained, 'Draining.', {
        response: 'Host draining',
        host: { ...sample.host, draining: true },
      }),
    },
    'POST /v1/hosts/{id}/token': {
      id: 'renewHostToken',
      summary: 'Give a host another token',
      says: 'The old one stops at once and its link is closed; whoever holds it loses its sessions when its lease ends. Start the host anew with the new one.',
      who: 'admin',
      named: 'host',
      answers: answers(HostRegistered, 'The new token.', { token: sample.hostToken, host: sample.host }),
    },
    'POST /v1/hosts/{id}/slots': {
      id: 'resizeHost',
      summary: 'Say how many sessions a host may take',
      says: 'Holds at once for what is placed from now on; nothing that runs is ended. A host that says less of itself (`HOST_SLOTS`) takes less.',
      who: 'admin',
      named: 'host',
      body: { schema: HostSlots, examples: { more: { slots: 1000 } } },
      answers: answers(HostResized, 'The host as it is now.', { host: sample.host }),
    },
    'DELETE /v1/hosts/{id}': {
      id: 'deleteHost',
      summary: 'Remove a host',
      says: 'Its token stops at once and its link is closed. 409 while instances are linked there: nobody would find their credentials any more. Drain it first, or delete them.',
      who: 'admin',
      named: 'host',
      faults: ['session_conflict'],
      answers: answers(HostDeleted, 'Removed.', { response: 'Host deleted' }),
    },
    'GET /hosts/v1/link': {
      id: 'openHostLink',
      summary: 'The link that a host dials',
      says: 'A WebSocket with the protocol of the gateway itself. Not for callers.',
      who: 'host',
      answers: [{ status: 101, says: 'The WebSocket is open.' }],
      faults: ['invalid_body'],
    },
    'GET /hosts/v1/parcel': {
      id: 'collectParcel',
      summary: 'Bytes for a host that are too large for its link',
      says: 'Given out once, to the host that an act has told the name. Not for callers.',
      who: 'host',
      query: parcel,
      answers: [{ status: 200, says: 'The bytes.', type: 'application/octet-stream', schema: z.string() }],
      faults: ['invalid_query', 'media_unavailable'],
    },
    'PUT /hosts/v1/parcel': {
      id: 'bringParcel',
      summary: 'Bytes from a host that are too large for its link',
      says: 'Taken for as long as a request waits for them. Not for callers.',
      who: 'host',
      query: parcel,
      answers: [{ status: 200, says: 'They have arrived.' }],
      faults: ['invalid_query', 'media_unavailable'],
    },
  },
}
