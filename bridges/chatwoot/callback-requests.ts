// Chatwoot's calls of an API inbox: whether one is genuine, and the fields of it that are read.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { WebhookRefused } from '@msgnet/client/client.ts'
import { settings } from './chatwoot-settings.ts'

const TOLERANCE_S = 300

interface Person {
  id: number
  name?: string | null
  identifier?: string | null
  phone_number?: string | null
}

interface ConversationFields {
  id: number
  status?: string
  contact_inbox?: { source_id: string }
  meta?: { sender?: Person }
}

export interface MessageCallback {
  event: 'message_created' | 'message_updated'
  id: number
  content: string | null
  content_attributes?: {
    in_reply_to?: number | null
    in_reply_to_external_id?: string | null
    deleted?: boolean
    external_error?: string | null
    items?: { title?: string }[]
  } | null
  /** Seconds, or a date. */
  created_at: number | string
  message_type: 'incoming' | 'outgoing' | 'template' | 'activity'
  private: boolean
  source_id: string | null
  /** An agent is a `user`; an automation and Chatwoot itself are nobody. */
  sender?: { name?: string | null; type?: string } | null
  inbox: { id: number }
  conversation: ConversationFields
  attachments?: { id: number; file_type: string; data_url?: string | null }[]
}

export interface StatusCallback extends ConversationFields {
  event: 'conversation_status_changed'
  inbox_id: number
}

export type Callback = MessageCallback | StatusCallback

const isEqual = (a: string, b: string): boolean =>
  timingSafeEqual(
    createHmac('sha256', 'compare').update(a).digest(),
    createHmac('sha256', 'compare').update(b).digest(),
  )

/** By the signature of Chatwoot 4.13 and later; before that by `?secret=` in the callback's URL. */
export function verifyCallback(body: string, { headers, url = '' }: IncomingMessage): void {
  const signature = headers['x-chatwoot-signature']
  if (signature === undefined) {
    const secret = new URL(url, 'http://bridge').searchParams.get('secret') ?? ''
    if (isEqual(secret, settings.callbackSecret)) return
    throw new WebhookRefused(
      'header_missing',
      'The callback has neither a signature nor the secret in its URL.',
    )
  }
  const timestamp = String(headers['x-chatwoot-timestamp'] ?? '')
  const age = Date.now() / 1000 - Number(timestamp)
  if (!(Math.abs(age) <= TOLERANCE_S))
    throw new WebhookRefused('too_old', 'The timestamp of the callback is too far from the present time.')
  const mac = createHmac('sha256', settings.callbackSecret).update(`${timestamp}.${body}`).digest('hex')
  if (!isEqual(String(signature), `sha256=${mac}`))
    throw new WebhookRefused('no_signature_fits', 'The signature of the callback does not fit.')
}

const NETWORK_ID = /@(s\.msgnet\.net|g\.us|lid)$/

/** The network's id of the chat, or the phone number of a contact that an agent or another program created. */
export function findCallbackChat({ meta }: ConversationFields): string {
  const { identifier, phone_number } = meta?.sender ?? {}
  const isOfNetwork = NETWORK_ID.test(identifier ?? '')
  return (isOfNetwork ? identifier : phone_number || identifier) || ''
}

export const readTime = (at: number | string): number => (typeof at === 'number' ? at * 1000 : Date.parse(at))
