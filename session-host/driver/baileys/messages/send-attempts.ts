// The attempts to send messages, each open until the server's acknowledgement, which the library does not wait for.

import { crashIfArmed } from '../../../process/crash-points.ts'
import type { Ack, NetworkOutcome } from '../../driver.ts'
import { Effect } from '../../effect.ts'
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

export class SendAttempts {
  readonly #waiting = new Map<
    string,
    { resolve(outcome: NetworkOutcome<ServerAck>): void; isFinal: IsFinalAck }
  >()

  async attemptSend(
    message: OutgoingMessage,
    write: () => Promise<unknown>,
    isFinal: IsFinalAck,
  ): Promise<NetworkOutcome<ServerAck>> {
    const { messageid } = message
    const ack = Promise.withResolvers<NetworkOutcome<ServerAck>>()
    const attempt = { resolve: ack.resolve, isFinal }
    // Before anything is written, so that a quick ack is not missed.
    this.#waiting.set(messageid, attempt)
    try {
      const prevented = await write().then(() => undefined, toPrevention)
      if (prevented) return prevented
      message.written = true
      Effect.current?.markLeft()
      crashIfArmed('after-network-write')
      return await ack.promise
    } finally {
      if (this.#waiting.get(messageid) === attempt) this.#waiting.delete(messageid)
    }
  }

  get areWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Every ack that comes after this is final. */
  endAttempt({ messageid }: OutgoingMessage): void {
    this.#waiting.delete(messageid)
  }

  /** Returns whether the ack is final. */
  handleAck(ack: ServerAck): boolean {
    const attempt = this.#waiting.get(ack.messageid)
    attempt?.resolve(
      ack.code === undefined ? { kind: 'done', value: ack } : { kind: 'refused', code: ack.code },
    )
    return attempt?.isFinal(ack) ?? true
  }

  /** The socket is closed: messages without an ack will not get one. */
  failWaiting(): void {
    for (const { resolve } of this.#waiting.values())
      resolve({ kind: 'unknown', message: 'the connection was lost' })
  }
}

/** The lists of the network that a fresh list of ours did not agree with, by chat. Without them each message would be repeated in vain. */
export class StaleLists {
  readonly #views = new Map<string, string>()

  /** Whether the network has another list than the sender, and a fresh one may agree with it. */
  isStale(
    chat: string,
    ack: ServerAck,
    { hash, addressing = ack.addressing }: { hash: string; addressing?: string },
  ): boolean {
    const agreed = (!ack.phash || ack.phash === hash) && (!ack.addressing || ack.addressing === addressing)
    if (agreed) this.#views.delete(chat)
    return !agreed && this.#views.get(chat) !== describeView(ack)
  }

  /** A fresh list did not agree with the network's: it is not requested again until that changes. */
  recordDispute(chat: string, ack: ServerAck): void {
    this.#views.set(chat, describeView(ack))
  }
}

const describeView = ({ phash = '', addressing = '' }: ServerAck) => `${phash} ${addressing}`
