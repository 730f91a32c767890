// Sends messages and waits for the server's acknowledgement, which the library does not do.

import type { WASocket } from 'baileys'
import { isGroup } from '../../../../shared/jid.ts'
import { crashPoint } from '../../../crash.ts'
import type { Ack, Answer, Connection } from '../../driver.ts'
import { answered } from '../connection/ask.ts'
import type { Audiences } from '../connection/lasting-caches.ts'
import { outward } from '../ids.ts'
import { decodeMessage } from './content.ts'
import { envelopeOf, nodesBeside } from './encoding.ts'

export interface Outgoing {
  send: Connection['send']
  /** Handles an ack. Answers whether it is final: a message that is about to be repeated gets another one. */
  acknowledged(ack: Ack): boolean
  /** A member may have been added to this group, so the known list of its devices may be stale. */
  joined(group: string): void
  /** The socket is closed: messages without an ack will not get one. */
  lost(): void
  /** Sets the listener that is called when a written message was acknowledged, or its wait for that has ended. */
  onEnd(listener: (answered: boolean) => void): void
}

/** The message was encrypted for an outdated list of devices. */
const STALE = 479

interface Waiting {
  settle(answer: Answer): void
  /** If it is refused as stale, it is sent once more. */
  repeats: boolean
}

export function makeOutgoing(sock: WASocket, audiences: Audiences): Outgoing {
  const waiting = new Map<string, Waiting>()
  /** Groups with a new member, until a message has been sent to them. */
  const changed = new Set<string>()
  let ended: (answered: boolean) => void = () => undefined

  /** Called before anything is written, so that a quick ack is not missed. */
  function listen(messageid: string, repeats: boolean): Promise<Answer> {
    const ack = Promise.withResolvers<Answer>()
    waiting.set(messageid, { settle: ack.resolve, repeats })
    return ack.promise
  }

  /** A refused message gave the group's key to no one, but the library has recorded that it did. */
  const forgetKeyHolders = (group: string) =>
    sock.authState.keys.set({ 'sender-key-memory': { [group]: null } })

  return {
    async send(messageid, to, encoded, deadline, audience) {
      let written = false
      const repeats = isGroup(to) && changed.has(to)
      const ack = listen(messageid, repeats)
      try {
        const answer = await answered(async () => {
          const id = outward(to)
          if (!isGroup(to) && !audience && (await sock.getUSyncDevices([id], true, false)).length === 0) {
            // The library would send a message without recipients, and report it as sent.
            return { kind: 'refused', code: 404, message: 'the account has no device' }
          }
          const message = decodeMessage(encoded)
          const relay = (known: boolean) =>
            sock.relayMessage(id, message, {
              messageId: messageid,
              additionalAttributes: envelopeOf(message),
              additionalNodes: nodesBeside(message),
              ...(audience && { statusJidList: audience.map(outward) }),
              ...(!known && { useCachedGroupMetadata: false, useUserDevicesCache: false }),
            })
          if (audience) audiences.keep(messageid, audience)
          await relay(true)
          written = true
          crashPoint('after-network-write')
          const first = await ack
          if (!repeats || first.kind !== 'refused' || first.code !== STALE) return first
          // The network refused it: members and devices are requested again, and it is sent again with the same id.
          await forgetKeyHolders(to)
          const second = listen(messageid, false)
          await relay(false)
          return await second
        }, deadline)
        if (written) ended(answer.kind !== 'silent')
        if (answer.kind === 'done') changed.delete(to)
        if (answer.kind === 'refused' && isGroup(to)) await forgetKeyHolders(to)
        return answer
      } finally {
        waiting.delete(messageid)
      }
    },
    acknowledged({ messageid, code }) {
      const answer: Answer =
        code === undefined ? { kind: 'done', value: undefined } : { kind: 'refused', code }
      const one = waiting.get(messageid)
      one?.settle(answer)
      return !(one?.repeats && code === STALE)
    },
    joined: (group) => void changed.add(group),
    onEnd(listener) {
      ended = listener
    },
    lost() {
      for (const { settle } of waiting.values())
        settle({ kind: 'silent', message: 'the connection was lost' })
    },
  }
}
