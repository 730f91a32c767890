// The attempts to send messages, each until the server's acknowledgement, which the library does not wait for.

import { crashPoint } from '../../../crash.ts'
import type { Ack, Answer } from '../../driver.ts'
import { type Sending, toPrevention } from './relay.ts'

export interface ServerAck extends Ack {
  /** The network's hash of the devices, if the message was encrypted for others. */
  phash?: string | undefined
  /** How the network addresses the members of the group. */
  addressing?: string | undefined
}

/** Whether an ack is the last word on the message. */
export type Counts = (ack: Ack) => boolean
export const always: Counts = () => true
export const never: Counts = () => false

/** Sends a message that was accepted once more. */
export type Repeat = (deadline: AbortSignal) => Promise<void>

export interface Attempts {
  begin(sending: Sending, write: () => Promise<unknown>, counts: Counts): Promise<Answer<ServerAck>>
  /** Whatever ack comes now counts. */
  end(sending: Sending): void
  /** Handles an ack. Answers whether it counts. */
  acknowledged(ack: ServerAck): boolean
  /** The socket is closed: messages without an ack will not get one. */
  lost(): void
}

export function makeAttempts(): Attempts {
  const waiting = new Map<string, { settle(answer: Answer<ServerAck>): void; counts: Counts }>()

  return {
    async begin(sending, write, counts) {
      const { messageid } = sending
      const ack = Promise.withResolvers<Answer<ServerAck>>()
      const mine = { settle: ack.resolve, counts }
      // Before anything is written, so that a quick ack is not missed.
      waiting.set(messageid, mine)
      try {
        const prevented = await write().then(() => undefined, toPrevention)
        if (prevented) return prevented
        sending.written = true
        crashPoint('after-network-write')
        return await ack.promise
      } finally {
        if (waiting.get(messageid) === mine) waiting.delete(messageid)
      }
    },
    end: ({ messageid }) => void waiting.delete(messageid),
    acknowledged(ack) {
      const attempt = waiting.get(ack.messageid)
      attempt?.settle(
        ack.code === undefined ? { kind: 'done', value: ack } : { kind: 'refused', code: ack.code },
      )
      return attempt?.counts(ack) ?? true
    },
    lost() {
      for (const { settle } of waiting.values())
        settle({ kind: 'silent', message: 'the connection was lost' })
    },
  }
}

export interface Disputes {
  /** Whether the network has another list than the sender, and a fresh one may agree with it. */
  isOld(chat: string, ack: ServerAck, sent: { hash: string; addressing?: string }): boolean
  /** A fresh list did not agree with the network's: it is not asked for again until that changes. */
  add(chat: string, ack: ServerAck): void
}

export function makeDisputes(): Disputes {
  /** By chat. Without it each message would be repeated in vain. */
  const views = new Map<string, string>()
  const viewIn = ({ phash = '', addressing = '' }: ServerAck) => `${phash} ${addressing}`

  return {
    isOld(chat, ack, { hash, addressing = ack.addressing }) {
      const agreed = (!ack.phash || ack.phash === hash) && (!ack.addressing || ack.addressing === addressing)
      if (agreed) views.delete(chat)
      return !agreed && views.get(chat) !== viewIn(ack)
    },
    add: (chat, ack) => void views.set(chat, viewIn(ack)),
  }
}
