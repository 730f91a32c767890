// A row of the table of everything that the network can be asked for: how to ask, and where to look whether it happened.

import { createHash } from 'node:crypto'
import type { LinkedDevice } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import type { SharedWorld } from '../../world.ts'

/** Each row has its own device, which separates faults and logs of concurrent rows. */
export interface RowContext {
  world: SharedWorld
  device: LinkedDevice
}

/** What the action comes down to on the network, as its faults name it. */
export interface Question {
  xmlns?: string
  tag?: string
}

export interface Logged {
  what: string
  to?: string
  xmlns?: string
  child?: string
  tags?: string[]
  state?: string
  type?: string
}

export interface Row {
  /** Method and path, and which of several things it does. */
  name: string
  kind?: 'calls'
  question: Question
  /** What the network sees before the request, where the library sends the same one by itself at times. */
  isEarlierRequest?: (entry: Logged) => boolean
  /** The response when the network refuses with `code`; absent if it never refuses. */
  refusal?: { code: number; status: number; error: string }
  /** The route takes an Idempotency-Key. */
  keyed: boolean
  /** A message: a later receipt of its reader's phone proves that it did arrive. */
  traced: boolean
  /** It changes nothing, with any outcome. */
  looks?: true
  /** Creates everything that the request needs. */
  prepare(ground: RowContext): Promise<Prepared>
}

export interface Prepared {
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  body?: object
  /** The phone whose receipt proves that a message has arrived. */
  reader?: string
  /** Whether the network has the change; for a query, whether `response` is true. */
  hasEffect(response: Seen): Promise<boolean>
}

export const toPersonJid = (number: string) => `${number}@s.msgnet.net`

export const hashSha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export async function isOnPhone(
  { world }: RowContext,
  number: string,
  matches: (message: Seen) => boolean,
): Promise<boolean> {
  const { messages } = await world.sim('GET', `/phones/${number}/inbox`)
  return (messages as Seen[]).some(matches)
}

/** The message has come in and is stored. */
export const isStored = async ({ device }: RowContext, id: unknown): Promise<boolean> =>
  (await device.caller.post('/message/find', { id })).body.messages.length === 1
