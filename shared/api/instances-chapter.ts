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
  ImportResult,
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
  summary: 'Opens the session, or starts to link a device',
  description: `The response comes with the first QR code, pairing code, login or refusal. After ${limits.maxConnectWaitMs / 1000} s at the latest, it comes with the state at that time. Follow the progress by status or by the \`connection\` event. If the session is connected already, the response is its present state, and no second session opens. If the network refuses a pairing code, the response is that refusal.`,
  auth: 'instance',
  tokenScope: 'full',
  chats: 'none',
  audit: 'instance.connect',
  body: {
    schema: ConnectRequest,
    faults: { phone: 'invalid_phone' },
    optional: true,
    samples: {
      'a QR code': {},
      'a pairing code': { phone: '+55 11 98888-7777' },
      'with its past': { history: 'full' },
    },
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
    ...(['invalid_phone', 'instance_not_found', 'session_conflict', 'worker_full', 'quota_reached'] as const),
    ...(['not_on_network', 'operation_refused', 'rate_limited'] as const),
    ...notReached,
  ],
})

export const sendPasskey = defineRoute({
  method: 'POST',
  path: '/instance/connect/passkey',
  summary: 'Sends the network the passkey that it requests',
  description:
    'Some accounts link a device only with a passkey. Then `pairing.passkey` has the options for `navigator.credentials.get`, which must run on the site `rpId`. The response comes with the code that the owner compares with the phone, with the login or with the end of the pairing. It waits as long as connect at most. If no passkey is requested, the response is 409 `session_conflict`. After a refusal the options have a new challenge.',
  auth: 'instance',
  tokenScope: 'full',
  chats: 'none',
  audit: 'instance.passkey',
  body: {
    schema: PasskeyRequest,
    samples: { 'signed by a browser': { assertion: sample.passkeyAssertion } },
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

export const importCredential = defineRoute({
  method: 'POST',
  path: '/instance/import',
  summary: 'Takes over a linked device from another program',
  description: `The body is the device's credential as lines of JSON. The first names the form and the account, then comes a line for each row, \`creds\` first and with an empty \`id\`, and the last says how many rows there were. \`kind\`, \`id\` and \`value\` are what the library gives to its store, in the library's own JSON. Everything is stored, or nothing; \`message\` of a refusal names the line. The instance stays disconnected, and \`/instance/connect\` then needs no code. End the other program first: a credential that is used twice ends as \`replaced\`, and does not connect again by itself. If the instance has a credential already, or is being linked, the response is 409 \`session_conflict\`, as that of connect is during an import; a disconnect or a deletion ends the import.`,
  auth: 'instance',
  tokenScope: 'own',
  audit: 'instance.import',
  body: {
    type: 'application/x-ndjson',
    schema: z.string(),
    maxBytes: limits.maxImportBytes,
    samples: { 'a device of Baileys': sample.credentialLines },
  },
  response: {
    description: 'The credential is stored.',
    schema: ImportResult,
    samples: {
      answer: {
        ...sample.connection,
        connected: false,
        loggedIn: false,
        status: { ...sample.connection.status, connected: false, loggedIn: false },
        instance: { ...sample.fresh, owner: sample.connection.instance.owner, profileName: 'Shop' },
        history: { state: 'none', progress: 0 },
        imported: {
          account: sample.connection.jid,
          rows: 2,
          kinds: { creds: 1, 'pre-key': 1 },
        },
      },
    },
  },
  faults: [
    ...(['instance_not_found', 'session_conflict', 'worker_full', 'quota_reached'] as const),
    ...notReached,
  ],
})

export const status = defineRoute({
  method: 'GET',
  path: '/instance/status',
  summary: 'Returns the state of the session and the health of its webhook',
  description: 'This route starts nothing.',
  auth: 'instance',
  tokenScope: 'read',
  chats: 'none',
  uncompressed: true,
  response: describeResponse(Connection, 'The present state of the session.'),
})

export const disconnect = defineRoute({
  method: 'POST',
  path: '/instance/disconnect',
  effect: 'destroys',
  summary: 'Logs out and deletes the credential',
  description:
    'To connect again, the device must be linked again. If no device is linked, that is no error: `unlinked` is `false`.',
  auth: 'instance',
  tokenScope: 'full',
  chats: 'none',
  audit: 'instance.disconnect',
  response: describeResponse(DisconnectResult, 'The session is logged out.'),
  faults: ['instance_not_found', ...notReached],
})

export const restart = defineRoute({
  method: 'POST',
  path: '/instance/restart',
  summary: 'Reopens the session with the same credential',
  description:
    'If no device is linked, or while a pairing is in progress, there is no credential yet: 409 `not_connected`.',
  auth: 'instance',
  tokenScope: 'full',
  chats: 'none',
  audit: 'instance.restart',
  response: describeResponse(RestartResult, 'The state of the new session, as far as it is known.'),
  faults: ['instance_not_found', 'not_connected', 'worker_full', 'quota_reached', ...notReached],
})

export const remove = defineRoute({
  method: 'DELETE',
  path: '/instance',
  summary: 'Tries to log out, then deletes the instance permanently',
  description: 'Its events, deliveries, webhook, credential and messages are deleted with it.',
  auth: 'instance',
  tokenScope: 'own',
  audit: 'instance.delete',
  response: describeResponse(DeleteResult, 'The instance is deleted.'),
})

/** A session that should be connected must get the change. */
const proxyFaults = [
  ...(['invalid_url', 'session_owned_elsewhere', 'msgnet_unreachable'] as const),
  ...(['operation_refused', 'outcome_unknown'] as const),
]

export const instances = defineChapter({
  title: 'Instances',
  description:
    'An instance is one linked device of an account. The admin creates it; all other requests use its own token. Its status changes from `disconnected` to `connecting` to `connected`, back to `connecting` while a lost connection is restored, and to `disconnected` from any status.',
  routes: {
    createInstance: defineRoute({
      method: 'POST',
      path: '/instance/init',
      summary: 'Creates an instance and its token',
      description:
        'This route neither connects nor links the instance. Only this response contains the token.',
      auth: 'admin',
      audit: 'instance.create',
      body: {
        schema: InitRequest,
        faults: { name: 'invalid_name', kind: 'invalid_kind' },
        samples: {
          'name only': { name: 'Shop' },
          'for a company': { name: 'Support', companyId: 'acme' },
        },
      },
      response: describeResponse(InitResult, 'The instance with its token.'),
      faults: ['invalid_name', 'invalid_kind', 'handle_taken', 'calls_not_supported'],
      idempotent: limits.initRetentionSeconds,
      holdsToken: true,
    }),
    listInstances: defineRoute({
      method: 'GET',
      path: '/instance/all',
      summary: 'Lists all instances, oldest first',
      description: 'The list does not contain tokens, and `qrcode` is empty.',
      auth: 'admin',
      query: z.object({
        companyId: CompanyId.optional().describe(
          'Returns only instances that were created with it. It is a filter and isolates nothing.',
        ),
      }),
      response: describeResponse(InstanceList, 'The instances, as a plain array.'),
    }),
    connect,
    sendPasskey,
    importCredential,
    getStatus: status,
    disconnect,
    restart,
    deleteInstance: remove,
    getProxy: defineRoute({
      method: 'GET',
      path: '/instance/proxy',
      summary: 'Returns the proxy by which the session reaches the network',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      response: describeResponse(ProxyState, 'The present proxy, without its password.'),
    }),
    configureProxy: defineRoute({
      method: 'POST',
      path: '/instance/proxy',
      summary: 'Sets the proxy of the session, or turns it off',
      description:
        'The proxy applies from the next connection on, to the socket and to files. A session that cannot connect by it does not connect at all. `/instance/restart` reconnects at once.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      audit: 'proxy.change',
      body: {
        schema: ProxyRequest,
        faults: { proxy_url: 'invalid_url' },
        samples: {
          'with a password': { enable: true, proxy_url: 'socks5://shop:secret@proxy.example.net:1080' },
          'turned off': { enable: false },
        },
      },
      response: describeResponse(ProxyState, 'The proxy as it is now.'),
      faults: proxyFaults,
    }),
    removeProxy: defineRoute({
      method: 'DELETE',
      path: '/instance/proxy',
      summary: 'Removes the proxy',
      description: 'The change applies from the next connection on.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      audit: 'proxy.remove',
      response: describeResponse(ProxyState, 'No proxy is set now.'),
      faults: proxyFaults.filter((fault) => fault !== 'invalid_url'),
    }),
  },
})
