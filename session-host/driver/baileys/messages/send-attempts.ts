// The attempts to send messages, each until the server's acknowledgement, which the library does not wait for.

import { crashIfArmed } from '../../../crash-points.ts'
import type { Ack, NetworkOutcome } from '../../driver.ts'
import { type OutgoingMessage, toPrevention } from './relay.ts'

export interface ServerAck extends Ack {
  /** The network's hash of the devices, if the message was encrypted for others. */
  phash?: string | undefined
  /** How the network addresses the members of the group. */
  addressing?: string | undefined
}

/** Whether an ack is the last word on the message. */
export type IsFinalAck = (ack: Ack) => boolean
export const acceptAnyAck: IsFinalAck = () => true
export const ignoreAck: IsFinalAck = () => false

/** Sends a message that was accepted once more. */
export type RepeatSend = (deadline: AbortSignal) => Promise<void>

export interface Attempts {
  attemptSend(
    sending: OutgoingMessage,
    write: () => Promise<unknown>,
    isFinal: IsFinalAck,
  ): Promise<NetworkOutcome<ServerAck>>
  /** Whatever ack comes now counts. */
  endAttempt(sending: OutgoingMessage): void
  /** Handles an ack. Answers whether it counts. */
  handleAck(ack: ServerAck): boolean
  /** The socket is closed: messages without an ack will not get one. */
  failWaiting(): void
}

export function createAttempts(): Attempts {
  const waiting = new Map<
    string,
    { resolve(outcome: NetworkOutcome<ServerAck>): void; isFinal: IsFinalAck }
  >()

  return {
    async attemptSend(sending, write, isFinal) {
      const { messageid } = sending
      const ack = Promise.withResolvers<NetworkOutcome<ServerAck>>()
      const entry = { resolve: ack.resolve, isFinal }
      // Before anything is written, so that a quick ack is not missed.
      waiting.set(messageid, entry)
      try {
        const prevented = await write().then(() => undefined, toPrevention)
        if (prevented) return prevented
        sending.written = true
        crashIfArmed('after-network-write')
        return await ack.promise
      } finally {
        if (waiting.get(messageid) === entry) waiting.delete(messageid)
      }
    },
    endAttempt: ({ messageid }) => void waiting.delete(messageid),
    handleAck(ack) {
      const attempt = waiting.get(ack.messageid)
      attempt?.resolve(
        ack.code === undefined ? { kind: 'done', value: ack } : { kind: 'refused', code: ack.code },
      )
      return attempt?.isFinal(ack) ?? true
    },
    failWaiting() {
      for (const { resolve } of waiting.values())
        resolve({ kind: 'unknown', message: 'the connection was lost' })
    },
  }
}

export interface StaleLists {
  /** Whether the network has another list than the sender, and a fresh one may agree with it. */
  isStale(chat: string, ack: ServerAck, sent: { hash: string; addressing?: string }): boolean
  /** A fresh list did not agree with the network's: it is not asked for again until that changes. */
  recordDispute(chat: string, ack: ServerAck): void
}

export function createStaleLists(): StaleLists {
  /** By chat. Without it each message would be repeated in vain. */
  const views = new Map<string, string>()
  const describeView = ({ phash = '', addressing = '' }: ServerAck) => `${phash} ${addressing}`

  return {
    isStale(chat, ack, { hash, addressing = ack.addressing }) {
      const agreed = (!ack.phash || ack.phash === hash) && (!ack.addressing || ack.addressing === addressing)
      if (agreed) views.delete(chat)
      return !agreed && views.get(chat) !== describeView(ack)
    },
    recordDispute: (chat, ack) => void views.set(chat, describeView(ack)),
  }
}
