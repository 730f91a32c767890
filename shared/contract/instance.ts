// Instances and their connection, spelled as the API spells them (contract, "Resources"; open points, "Instance and connection").

import * as z from 'zod'
import { parsePhone } from '../jid.ts'
import { limits } from './version.ts'

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
  'unreachable',
  'by_request',
  'bad_session',
])
export type DisconnectReason = z.infer<typeof DisconnectReason>

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

export const InitRequest = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(limits.nameLength)
    .refine((name) => !CONTROL.test(name), 'no control characters'),
  kind: Kind.default('msgnet'),
  companyId: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, '1 to 64 visible ASCII characters')
    .optional(),
})

/** A number as people write it; answers its digits. */
export const Phone = z.string().transform((text, context) => {
  const phone = parsePhone(text)
  if (phone) return phone
  context.addIssue('8 to 15 digits with country code')
  return z.NEVER
})

export const ConnectRequest = z.object({ phone: Phone.optional() })

/** What is shown while a device is being linked. `qr` is the raw text, `qrcode` a PNG data URI, `code` is `ABCD-1234`. */
export const Pairing = z.discriminatedUnion('method', [
  z.object({ method: z.literal('qr'), qr: z.string(), qrcode: z.string(), expiresAt: z.string() }),
  z.object({ method: z.literal('code'), code: z.string(), expiresAt: z.string() }),
])
export type Pairing = z.infer<typeof Pairing>

/** The contract's Instance. Date-times are RFC 3339, empty when there is none. */
export interface Instance {
  id: string
  kind: z.infer<typeof Kind>
  name: string
  companyId: string
  owner: string
  profileName: string
  qrcode: string
  paircode: string
  status: Status
  lastDisconnect: string
  lastDisconnectReason: DisconnectReason
  createdAt: string
  updatedAt: string
}
