// The chapter on instances: routes that create and list them, and routes for their own token.

import * as z from 'zod'
import { CompanyId, ConnectRequest, InitRequest } from '../contract/instance-requests.ts'
import { limits } from '../contract/limits.ts'
import { PasskeyRequest } from '../contract/passkey-requests.ts'
import { ProxyRequest } from '../contract/proxy-requests.ts'
import {
  Connection,
  DeleteResult,
  DisconnectResult,
  InitResult,
  InstanceList,
  RestartResult,
} from '../contract/responses/instance-responses.ts'
import { ProxyState } from '../contract/responses/proxy-responses.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const notReached = ['session_owned_elsewhere', 'msgnet_unreachable', 'outcome_unknown'] as const

export const connect = defineRoute({
  method: 'POST',
  path: '/instance/connect',
  summary: 'Open the session, or begin to link a device',
  description: `Answers with the first QR code, pairing code, login or refusal, at ${limits.maxConnectWaitMs / 1000} s at the latest with what is known then; follow the progress by status or by the \`connection\` event. Connecting what is connected is the present state and no second session. A pairing code that the network refuses is its refusal.`,
  auth: 'instance',
  audit: 'instance.connect',
  body: {
    schema: ConnectRequest,
    faults: { phone: 'invalid_phone' },
    optional: true,
    samples: { 'a QR code': {}, 'a pairing code': { phone: '+55 11 98888-7777' } },
  },
  response: {
    description: 'The present state of the session.',
    schema: Connection,
    samples: {
      'a QR code to scan': sample.connecting,
      'a code to type': {
        ...sample.connecting,
        instance: { ...sample.fresh, status: 'connecting', paircode: sample.pairing.code.code },
        pairing: sample.pairing.code,
      },
      'the account demands a passkey': {
        ...sample.connecting,
        instance: { ...sample.fresh, status: 'connecting' },
        pairing: sample.pairing.passkey,
      },
      'connected already': sample.connection,
    },
  },
  faults: [
    ...(['invalid_phone', 'instance_not_found', 'worker_full'] as const),
    ...(['not_on_network', 'operation_refused', 'rate_limited'] as const),
    ...notReached,
  ],
})

export const sendPasskey = defineRoute({
  method: 'POST',
  path: '/instance/connect/passkey',
  summary: 'Give the network the passkey that it asks for',
  description:
    'Some accounts link a device only with a passkey: then `pairing.passkey` has the options for `navigator.credentials.get`, which has to run on the site `rpId`. Answers with the code that the owner compares with the phone, the login or the end, at the latest after as long as connect. If nobody asks for a passkey: 409 `session_conflict`. After a refusal the options have a new challenge.',
  auth: 'instance',
  audit: 'instance.passkey',
  body: {
    schema: PasskeyRequest,
    samples: { 'what a browser has signed': { assertion: sample.passkeyAssertion } },
  },
  response: {
    description: 'The present state of the session.',
    schema: Connection,
    samples: {
      'a code to compare': {
        ...sample.connecting,
        instance: { ...sample.fresh, status: 'connecting' },
        pairing: {
          ...sample.pairing.passkey,
          passkey: { ...sample.pairing.passkey.passkey, confirmation: 'K7QX-2M9D' },
        },
      },
    },
  },
  faults: ['instance_not_found', 'session_conflict', 'operation_refused', ...notReached],
})

export const status = defineRoute({
  method: 'GET',
  path: '/instance/status',
  summary: 'The session and the health of its webhook',
  description: 'Starts nothing.',
  auth: 'instance',
  response: describeResponse(Connection, 'The present state of the session.'),
})

export const disconnect = defineRoute({
  method: 'POST',
  path: '/instance/disconnect',
  effect: 'destroys',
  summary: 'Log out and forget the credential',
  description:
    'To come back, the device must be linked again. What is not linked is no error: `unlinked` is `false`.',
  auth: 'instance',
  audit: 'instance.disconnect',
  response: describeResponse(DisconnectResult, 'Logged out.'),
  faults: ['instance_not_found', ...notReached],
})

export const restart = defineRoute({
  method: 'POST',
  path: '/instance/restart',
  summary: 'Open the session anew, keeping the credential',
  description:
    'Where nothing is linked, or while a pairing is under way, there is none to keep: 409 `not_connected`.',
  auth: 'instance',
  audit: 'instance.restart',
  response: describeResponse(RestartResult, 'What is known of the new session.'),
  faults: ['instance_not_found', 'not_connected', 'worker_full', ...notReached],
})

export const remove = defineRoute({
  method: 'DELETE',
  path: '/instance',
  summary: 'Log out as well as possible, then delete for good',
  description: 'Its events, deliveries, webhook, credential and messages go with it.',
  auth: 'instance',
  audit: 'instance.delete',
  response: describeResponse(DeleteResult, 'Deleted.'),
})

/** A session that should be connected must get the change. */
const proxyFaults = [
  ...(['invalid_url', 'session_owned_elsewhere', 'msgnet_unreachable'] as const),
  ...(['operation_refused', 'outcome_unknown'] as const),
]

export const instances = defineChapter({
  title: 'Instances',
  description:
    'An instance is one linked device of an account. The admin makes it; everything else is done with its own token. Its status goes from `disconnected` over `connecting` to `connected`, back to `connecting` while a lost link is made again, and to `disconnected` from anywhere.',
  routes: {
    createInstance: defineRoute({
      method: 'POST',
      path: '/instance/init',
      summary: 'Make an instance and its token',
      description: 'Neither connects nor links. The token is in this answer and nowhere else.',
      auth: 'admin',
      audit: 'instance.create',
      body: {
        schema: InitRequest,
        faults: { name: 'invalid_name', kind: 'invalid_kind' },
        samples: {
          'a name is enough': { name: 'Shop' },
          'for a company': { name: 'Support', companyId: 'acme' },
        },
      },
      response: describeResponse(InitResult, 'The instance with its token.'),
      faults: ['invalid_name', 'invalid_kind', 'calls_not_supported'],
      idempotent: limits.initRetentionSeconds,
      holdsToken: true,
    }),
    listInstances: defineRoute({
      method: 'GET',
      path: '/instance/all',
      summary: 'Every instance, oldest first',
      description: 'Does not contain tokens, and `qrcode` is empty.',
      auth: 'admin',
      query: z.object({
        companyId: CompanyId.optional().describe('Only those made with it. A filter, it isolates nothing.'),
      }),
      response: describeResponse(InstanceList, 'A plain array.'),
    }),
    connect,
    sendPasskey,
    getStatus: status,
    disconnect,
    restart,
    deleteInstance: remove,
    getProxy: defineRoute({
      method: 'GET',
      path: '/instance/proxy',
      summary: 'By which way the session reaches the network',
      auth: 'instance',
      response: describeResponse(ProxyState, 'The proxy as it is, without its password.'),
    }),
    configureProxy: defineRoute({
      method: 'POST',
      path: '/instance/proxy',
      summary: 'Give the session a proxy, or turn it off',
      description:
        'From the next connection on, for the socket and for files. A session that cannot connect by it does not connect at all. `/instance/restart` connects anew at once.',
      auth: 'instance',
      audit: 'proxy.change',
      body: {
        schema: ProxyRequest,
        faults: { proxy_url: 'invalid_url' },
        samples: {
          'with a password': { enable: true, proxy_url: 'socks5://shop:secret@proxy.example.net:1080' },
          'off, to be turned on again': { enable: false },
        },
      },
      response: describeResponse(ProxyState, 'The proxy as it is now.'),
      faults: proxyFaults,
    }),
    removeProxy: defineRoute({
      method: 'DELETE',
      path: '/instance/proxy',
      summary: 'Forget the proxy',
      description: 'From the next connection on.',
      auth: 'instance',
      audit: 'proxy.remove',
      response: describeResponse(ProxyState, 'None any more.'),
      faults: proxyFaults.filter((fault) => fault !== 'invalid_url'),
    }),
  },
})
