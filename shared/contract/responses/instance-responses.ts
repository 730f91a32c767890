// Responses with instances and their connection (contract, "Resources").

import * as z from 'zod'
import { Coverage } from '../coverage.ts'
import { HistoryProgress } from '../history.ts'
import { DisconnectReason, Kind, Pairing, Status } from '../instance-requests.ts'
import { DateTime, DateTimeOrNever } from './response-fields.ts'
import { WebhookHealth } from './webhook-responses.ts'

export const Instance = z.object({
  id: z.uuid(),
  kind: Kind,
  name: z.string(),
  companyId: z.string(),
  handle: z.string(),
  owner: z.string().describe('Digits of the linked account; empty while unlinked.'),
  profileName: z.string(),
  qrcode: z
    .string()
    .describe(
      'The QR code as a PNG data URI while there is one; always empty in lists, and for an admin token of scope `read`.',
    ),
  paircode: z
    .string()
    .describe('The pairing code while there is one; empty for an admin token of scope `read`.'),
  status: Status,
  lastDisconnect: DateTimeOrNever,
  lastDisconnectReason: DisconnectReason.describe('Empty if there was none.'),
  msg_delay_min: z.int().describe('The minimum wait of a message without a `delay`, in seconds.'),
  msg_delay_max: z.int().describe('The maximum wait, in seconds.'),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type Instance = z.infer<typeof Instance>

const token = z.string().describe('`mgi_` and 43 characters. Shown only once; only its digest is stored.')

export const InitResult = z.object({
  instance: Instance.extend({ token }),
  response: z.string().describe('The result in words, for people.'),
  token,
  name: z.string(),
  connected: z.literal(false),
  loggedIn: z.literal(false),
})
export type InitResult = z.infer<typeof InitResult>

/** As lists show it. */
export const CoveredInstance = Instance.extend({
  coverage: Coverage.describe(
    'The times between which every message that the network would give this device is here, and the gaps between them.',
  ),
})
export type CoveredInstance = z.infer<typeof CoveredInstance>

export const InstanceList = z.array(CoveredInstance)
export type InstanceList = z.infer<typeof InstanceList>

const Jid = z.object({
  user: z.string().describe('Digits of the account.'),
  agent: z.int(),
  device: z.int().describe('Always 0: the id names the account.'),
  server: z.string(),
})

/** The same in the form of the API family. */
const ShortStatus = z
  .object({
    connected: z.boolean().describe('The socket is open, and the network has accepted the credential.'),
    loggedIn: z.boolean(),
    jid: Jid.nullable().describe('`null` while unlinked.'),
  })
  .describe('The same in short, for clients of the API family.')

export const Connection = z.object({
  connected: z.boolean().describe('The socket to the network is open.'),
  loggedIn: z
    .boolean()
    .describe('The network has accepted the credential. Read it together with `connected`.'),
  jid: z.string().describe('The linked account; empty while unlinked.'),
  status: ShortStatus,
  instance: Instance,
  history: HistoryProgress.describe('How far the history of this linking has come.'),
  coverage: CoveredInstance.shape.coverage,
  pairing: Pairing.optional().describe(
    'Present while a device is being linked; never for an admin token of scope `read`.',
  ),
  webhooks: WebhookHealth.optional(),
})
export type Connection = z.infer<typeof Connection>

export const ImportResult = Connection.extend({
  imported: z
    .object({
      account: z.string().describe('The account that the credential is of.'),
      rows: z.int().describe('How many rows there were, with that of `creds`.'),
      kinds: z.record(z.string(), z.int()).describe('How many rows there were of each kind.'),
    })
    .describe('What was stored.'),
})
export type ImportResult = z.infer<typeof ImportResult>

const response = z.string().describe('The result in words, for people.')

export const RestartResult = Connection.extend({ response })
export type RestartResult = z.infer<typeof RestartResult>

const unlinked = z.boolean().describe('True only if the network confirmed it.')

export const DisconnectResult = z.object({
  response,
  unlinked,
  connected: z.literal(false),
  loggedIn: z.literal(false),
  jid: z.literal(''),
  status: ShortStatus,
  instance: Instance,
})
export type DisconnectResult = z.infer<typeof DisconnectResult>

export const DeleteResult = z.object({ response, unlinked })
export type DeleteResult = z.infer<typeof DeleteResult>

export const TokenResult = z.object({ token, instance: Instance })
export type TokenResult = z.infer<typeof TokenResult>
