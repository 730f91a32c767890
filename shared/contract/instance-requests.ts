// Requests for instances and their connection (contract, "Resources"; open points, "Instance and connection").

import * as z from 'zod'
import { parsePhone, patterns } from '../jid.ts'
import { HistoryMode } from './history.ts'
import { limits } from './limits.ts'
import { Passkey } from './passkey-requests.ts'
import { limitText } from './text-fields.ts'

export const kinds = ['msgnet', 'calls'] as const
export const Kind = z.enum(kinds)

/** disconnected → connecting → connected (logged in) → connecting (link lost) → …; any → disconnected. */
export const Status = z.enum(['disconnected', 'connecting', 'connected'])
export type Status = z.infer<typeof Status>

export const DisconnectReason = z.enum([
  '',
  'logged_out',
  'replaced',
  'banned',
  'pairing_expired',
  'passkey_required',
  'unreachable',
  'by_request',
  'bad_session',
  'outdated',
])
export type DisconnectReason = z.infer<typeof DisconnectReason>

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Used to filter lists only; it gives no isolation. */
/** The same as a pattern of the document: something to see, and no control characters. */
export const VISIBLE =
  '^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\x00-\\x1f\\x7f-\\x9f\\s\\u2028\\u2029][^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*$'

export const CompanyId = z.string().regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 visible ASCII characters')

export const Handle = z
  .string()
  // A segment of dots is resolved before a path is read.
  .regex(
    /^([\w.-]{3,100}|[\w.-]?[\w-]|[\w-]\.)$/,
    'must be 1 to 100 of A-Z, a-z, 0-9, ".", "_" and "-", and not only one or two dots',
  )

export const InitRequest = z.object({
  name: limitText(limits.maxNameLength, z.string().trim().min(1))
    .refine((name) => !CONTROL.test(name), 'must have no control characters')
    .meta({
      pattern: VISIBLE,
      description: 'The name is trimmed and has no control characters. Names need not be unique.',
    }),
  kind: Kind.default('msgnet').describe(
    '`calls` links a separate device for voice, if the server offers it.',
  ),
  companyId: CompanyId.optional().describe(
    'A word that you choose to filter the list. It is a filter only and isolates nothing.',
  ),
  handle: Handle.optional().describe('Names the instance in other forms of the API.'),
})

/** Takes a number as people write it, and returns its digits. */
export const Phone = z
  .string()
  .transform((text, context) => {
    const phone = parsePhone(text)
    if (phone) return phone
    context.addIssue('must be 8 to 15 digits with country code')
    return z.NEVER
  })
  .meta({ pattern: patterns.phone })

export const ConnectRequest = z.object({
  phone: Phone.optional().describe(
    'The number to link, 8 to 15 digits with country code. It requests a pairing code; without it the response has a QR code.',
  ),
  history: HistoryMode.optional().describe(
    'How much of its past the phone is asked for when the device is linked: `recent` is what it sends by itself, `full` all that it has. Without it, none, unless a device is being linked at the moment. It holds until the device is unlinked.',
  ),
})

const passkey = Passkey.optional().describe(
  'Present once the account requires a passkey; the QR code or pairing code is empty then.',
)

/** What is shown while a device is being linked. `qr` is the raw text, `qrcode` a PNG data URI, `code` is `ABCD-1234`. */
export const Pairing = z.discriminatedUnion('method', [
  z.object({
    method: z.literal('qr'),
    qr: z.string().describe('The text of the QR code, for programs that draw it.'),
    qrcode: z.string().describe('The QR code as a PNG data URI.'),
    expiresAt: z.string(),
    passkey,
  }),
  z.object({
    method: z.literal('code'),
    code: z.string().describe('The code that the owner types on the phone: `ABCD-1234`.'),
    expiresAt: z.string(),
    passkey,
  }),
])
export type Pairing = z.infer<typeof Pairing>
