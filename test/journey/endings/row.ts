// A row of the table of everything that the network can be asked for: how to ask, and where to look whether it happened.

import { createHash } from 'node:crypto'
import type { LinkedDevice } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import type { World } from '../../world.ts'

/** Each row has a device of its own: faults and logs of rows at work at once are told apart by it. */
export interface RowContext {
  world: World
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
  /** What the network sees before the question, where the library asks the same one by itself now and then. */
  isEarlierRequest?: (entry: Logged) => boolean
  /** What the caller is told when the network refuses with `code`; absent where it never refuses. */
  refusal?: { code: number; status: number; error: string }
  /** The route takes an Idempotency-Key. */
  keyed: boolean
  /** A message: what its reader's phone tells later proves that it did arrive. */
  traced: boolean
  /** It changes nothing, whatever becomes of the answer. */
  looks?: true
  /** Makes whatever must be there before. */
  prepare(ground: RowContext): Promise<Prepared>
}

export interface Prepared {
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  body?: object
  /** Whose receipt tells that a message has arrived. */
  reader?: string
  /** Whether the network has it; for a question, whether `answer` says what is true. */
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
