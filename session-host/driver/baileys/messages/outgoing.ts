// Sending: the server's word on a message, which the library does not wait for.

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
  /** Answers whether it is the last word on the message: one that is about to be repeated has none yet. */
  acknowledged(ack: Ack): boolean
  /** Somebody has come into this group, or may have: what is known of its devices may be stale. */
  joined(group: string): void
  /** The socket is gone: what has no ack yet never gets one. */
  lost(): void
  /** Called when a message that was written has the server's word on it, or has waited for it in vain. */
  onEnd(listener: (answered: boolean) => void): void
}

/** Encrypted for devices that are no more, or not for all there are. */
const STALE = 479

interface Waiting {
  settle(answer: Answer): void
  /** Refused as stale it is sent once more. */
  repeats: boolean
}

export function makeOutgoing(sock: WASocket, audiences: Audiences): Outgoing {
  const waiting = new Map<string, Waiting>()
  /** Groups with somebody new in them, until a message has reached them. */
  const changed = new Set<string>()
  let ended: (answered: boolean) => void = () => undefined

  /** Before anything is written: a quick ack must find somebody listening. */
  function listen(messageid: string, repeats: boolean): Promise<Answer> {
    const ack = Promise.withResolvers<Answer>()
    waiting.set(messageid, { settle: ack.resolve, repeats })
    return ack.promise
  }

  /** Nobody has got the group's key by a message that was refused, which the library takes for told. */
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
            // The library would send a message to nobody, and call it sent.
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
          // The network has not taken it: members and devices are asked for, and it goes once more under its name.
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
