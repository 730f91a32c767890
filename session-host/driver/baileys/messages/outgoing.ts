// Sending: the server's word on a message, which the library does not wait for.

import type { WASocket } from 'baileys'
import { isGroup } from '../../../../shared/jid.ts'
import { crashPoint } from '../../../crash.ts'
import type { Ack, Answer, Connection } from '../../driver.ts'
import { answered } from '../connection/ask.ts'
import { outward } from '../ids.ts'
import { decodeMessage } from './content.ts'
import { envelopeOf, nodesBeside } from './encoding.ts'

export interface Outgoing {
  send: Connection['send']
  acknowledged(ack: Ack): void
  /** The socket is gone: what has no ack yet never gets one. */
  lost(): void
  /** Called when a message that was written has the server's word on it, or has waited for it in vain. */
  onEnd(listener: (answered: boolean) => void): void
}

export function makeOutgoing(sock: WASocket): Outgoing {
  const waiting = new Map<string, (answer: Answer) => void>()
  let ended: (answered: boolean) => void = () => undefined

  return {
    async send(messageid, to, encoded, deadline, audience) {
      // Before anything is written: a quick ack must find somebody listening.
      const ack = Promise.withResolvers<Answer>()
      let written = false
      waiting.set(messageid, ack.resolve)
      try {
        const answer = await answered(async () => {
          const id = outward(to)
          if (!isGroup(to) && !audience && (await sock.getUSyncDevices([id], true, false)).length === 0) {
            // The library would send a message to nobody, and call it sent.
            return { kind: 'refused', code: 404, message: 'the account has no device' }
          }
          const message = decodeMessage(encoded)
          await sock.relayMessage(id, message, {
            messageId: messageid,
            additionalAttributes: envelopeOf(message),
            additionalNodes: nodesBeside(message),
            ...(audience && { statusJidList: audience.map(outward) }),
          })
          written = true
          crashPoint('after-network-write')
          return await ack.promise
        }, deadline)
        if (written) ended(answer.kind !== 'silent')
        return answer
      } finally {
        waiting.delete(messageid)
      }
    },
    acknowledged({ messageid, code }) {
      const answer: Answer =
        code === undefined ? { kind: 'done', value: undefined } : { kind: 'refused', code }
      waiting.get(messageid)?.(answer)
    },
    onEnd(listener) {
      ended = listener
    },
    lost() {
      for (const settle of waiting.values()) settle({ kind: 'silent', message: 'the connection was lost' })
    },
  }
}
