// The chapter on instances: made, listed, and acted upon with their own token.

import * as z from 'zod'
import {
  Connection,
  DeleteResult,
  DisconnectResult,
  InitResult,
  InstanceList,
  RestartResult,
} from '../../contract/answers/instance.ts'
import { ProxyState } from '../../contract/answers/proxy.ts'
import { CompanyId, ConnectRequest, InitRequest } from '../../contract/instance.ts'
import { ProxyRequest } from '../../contract/proxy.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter, type Operation } from '../operation.ts'
import * as sample from '../samples.ts'

const notReached = ['session_owned_elsewhere', 'msgnet_unreachable', 'outcome_unknown'] as const

export const connect: Operation = {
  id: 'connect',
  summary: 'Open the session, or begin to link a device',
  says: `Answers with the first QR code, pairing code, login or refusal, at ${limits.connectWaitMs / 1000} s at the latest with what is known then; follow the progress by status or by the \`connection\` event. Connecting what is connected is the present state and no second session.`,
  who: 'instance',
  body: {
    schema: ConnectRequest,
    optional: true,
    examples: { 'a QR code': {}, 'a pairing code': { phone: '+55 11 98888-7777' } },
  },
  answers: [
    {
      status: 200,
      says: 'What is known of the session.',
      schema: Connection,
      examples: {
        'a QR code to scan': sample.connecting,
        'a code to type': {
          ...sample.connecting,
          instance: { ...sample.fresh, status: 'connecting', paircode: sample.pairing.code.code },
          pairing: sample.pairing.code,
        },
        'connected already': sample.connection,
      },
    },
  ],
  faults: ['invalid_phone', 'instance_not_found', 'worker_full', ...notReached],
}

export const status: Operation = {
  id: 'getStatus',
  summary: 'The session and the health of its webhook',
  says: 'Starts nothing.',
  who: 'instance',
  answers: answers(Connection, 'What is known of the session.', sample.connection),
}

export const disconnect: Operation = {
  id: 'disconnect',
  summary: 'Log out and forget the credential',
  says: 'To come back, the device must be linked again. What is not linked is no error: `unlinked` is `false`.',
  who: 'instance',
  answers: answers(DisconnectResult, 'Logged out.', {
    response: 'Instance disconnected',
    unlinked: true,
    connected: false,
    loggedIn: false,
    jid: '',
    instance: {
      ...sample.fresh,
      lastDisconnect: sample.connected.updatedAt,
      lastDisconnectReason: 'by_request',
    },
  }),
  faults: ['instance_not_found', ...notReached],
}

export const restart: Operation = {
  id: 'restart',
  summary: 'Open the session anew, keeping the credential',
  says: 'Where nothing is linked, or while a pairing is under way, there is none to keep: 409 `not_connected`.',
  who: 'instance',
  answers: answers(RestartResult, 'What is known of the new session.', {
    ...sample.connection,
    response: 'Instance restarted',
  }),
  faults: ['instance_not_found', 'not_connected', 'worker_full', ...notReached],
}

export const remove: Operation = {
  id: 'deleteInstance',
  summary: 'Log out as well as possible, then delete for good',
  says: 'Its events, deliveries, webhook, credential and messages go with it.',
  who: 'instance',
  answers: answers(DeleteResult, 'Deleted.', { response: 'Instance deleted', unlinked: true }),
}

/** A session that is wanted has to hear of it. */
const proxyFaults = [
  ...(['invalid_url', 'session_owned_elsewhere', 'msgnet_unreachable'] as const),
  ...(['operation_refused', 'outcome_unknown'] as const),
]

export const instances: Chapter = {
  title: 'Instances',
  says: 'An instance is one linked device of an account. The admin makes it; everything else is done with its own token. Its status goes from `disconnected` over `connecting` to `connected`, back to `connecting` while a lost link is made again, and to `disconnected` from anywhere.',
  operations: {
    'POST /instance/init': {
      id: 'createInstance',
      summary: 'Make an instance and its token',
      says: 'Neither connects nor links. The token is in this answer and nowhere else.',
      who: 'admin',
      body: {
        schema: InitRequest,
        examples: {
          'a name is enough': { name: 'Shop' },
          'for a company': { name: 'Support', companyId: 'acme' },
        },
      },
      answers: answers(InitResult, 'The instance with its token.', {
        instance: { ...sample.fresh, token: sample.instanceToken },
      }),
      faults: ['invalid_name', 'invalid_kind', 'calls_not_supported'],
      replays: limits.initReplaySeconds,
    },
    'GET /instance/all': {
      id: 'listInstances',
      summary: 'Every instance, oldest first',
      says: 'Tells no token, and `qrcode` is empty.',
      who: 'admin',
      query: z.object({
        companyId: CompanyId.optional().describe('Only those made with it. A filter, it isolates nothing.'),
      }),
      answers: answers(InstanceList, 'A plain array.', [sample.connected]),
    },
    'POST /instance/connect': connect,
    'GET /instance/status': status,
    'POST /instance/disconnect': disconnect,
    'POST /instance/restart': restart,
    'DELETE /instance': remove,
    'GET /instance/proxy': {
      id: 'getProxy',
      summary: 'By which way the session reaches the network',
      who: 'instance',
      answers: answers(ProxyState, 'The proxy as it is, without its password.', sample.proxy),
    },
    'POST /instance/proxy': {
      id: 'configureProxy',
      summary: 'Give the session a proxy, or turn it off',
      says: 'From the next connection on, for the socket and for files. A session that cannot connect by it does not connect at all. `/instance/restart` connects anew at once.',
      who: 'instance',
      body: {
        schema: ProxyRequest,
        examples: {
          'with a password': { enable: true, proxy_url: 'socks5://shop:secret@proxy.example.net:1080' },
          'off, to be turned on again': { enable: false },
        },
      },
      answers: answers(ProxyState, 'The proxy as it is now.', sample.proxy),
      faults: proxyFaults,
    },
    'DELETE /instance/proxy': {
      id: 'removeProxy',
      summary: 'Forget the proxy',
      says: 'From the next connection on.',
      who: 'instance',
      answers: answers(ProxyState, 'None any more.', { enabled: false, proxy_url: '' }),
      faults: proxyFaults.filter((fault) => fault !== 'invalid_url'),
    },
  },
}
