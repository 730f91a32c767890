// The form in which a receiver gets events. An event is stored once, in the words of the contract; a format makes parts of it.

import type { WebhookFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { createDrizzle } from '@msgnet/shared/db/drizzle.ts'
import type { BeyondContract, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import type { Signer } from '../runtime/runtime.ts'
import type { EnvelopeSource } from './envelope.ts'

/** The part of a store that a dialect uses. */
export interface DialectStore {
  readonly db: ReturnType<typeof createDrizzle>
}

export type Bytes = Uint8Array<ArrayBuffer>

/** The others are absent of events that are not stored: presence and tests. */
export interface EventSource extends EnvelopeSource {
  beyond?: BeyondContract | null
  /** The request that caused it. */
  requestId?: string | null
}

/** Of a webhook, what decides which parts it gets and where. A stream has no URL, and wants all events unless it names some. */
export type ReceiverChoice = Partial<
  Pick<
    typeof webhooks.$inferSelect,
    'url' | 'addUrlEvents' | 'addUrlTypes' | 'excludeMessages' | 'formatOptions'
  >
> & { events?: readonly string[] | undefined }

export interface FormatTarget {
  store: DialectStore
  instanceName: string
  /** Null without one. */
  handle: string | null
  receiver: ReceiverChoice
}

/** One request to a receiver, or one message of a stream. */
export interface Part {
  /** The event's own, or one that `derivePartId` makes of it. */
  id: string
  url: string
  /** Its first attempt waits for this time, in milliseconds: a second at most. */
  notBefore?: number
  /** Made of what never changes, so that each attempt has the same bytes. */
  createBody(): BodyResult | Promise<BodyResult>
  /** Called when its body is not used any more. */
  releaseBody?(): void
}

/** `expired`: what it would show is not there any more, so it is passed over. `unavailable`: it cannot be had now, so this attempt fails. */
export type BodyResult = Bytes | 'expired' | 'unavailable'

export interface EventFormat {
  readonly name: WebhookFormat
  /** Whether a new QR code or pairing code is an event. */
  readonly showsCodes: boolean
  /** Whether the message that results from an edit or a vote is one more `messages` event. */
  readonly showsResults: boolean
  /** Whether each event shows the instance's own token. */
  readonly showsToken?: true
  /**
   * The parts of an event, in the order in which they are sent; none if this form has no words for it. It may be asked for more than the
   * receiver wants: a part beyond the event itself is made only if `receiver` chooses it.
   */
  toParts(event: EventSource, target: FormatTarget): readonly Part[] | Promise<readonly Part[]>
  /** Absent where requests are signed as the contract says. */
  readonly signing?: Signing
}

/** How requests are signed in a form of its own. */
export interface Signing {
  /** Of this way to sign. */
  readonly name: string
  toKey(secret: string): Bytes
  /** What becomes of the headers that the webhook has of its own, for one attempt. */
  convertHeaders?(headers: Record<string, string>, atMs: number): Promise<Record<string, string>>
  /** For one attempt. `signers`: of the newest secret first; none without one. */
  createHeaders(
    id: string,
    atMs: number,
    body: Bytes,
    signers: readonly Signer[],
  ): Promise<Record<string, string>>
}

/** The id of a part that is not the event itself: the same at every attempt and replay. */
export async function derivePartId(eventId: string, name: string): Promise<string> {
  return deriveUuid(`${eventId} ${name}`)
}

export async function deriveUuid(source: string): Promise<string> {
  const bytes = new TextEncoder().encode(source)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 16)
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
