// Sending: a message's wire form, and the server's word on it, which the library does not wait for.

import { randomBytes } from 'node:crypto'
import { getContentType, normalizeMessageContent, type proto, type WASocket } from 'baileys'
import { isGroup } from '../../../shared/jid.ts'
import type { Ack, Answer, TextToSend } from '../driver.ts'
import { answered } from './ask.ts'
import { outward } from './ids.ts'
import { decodeMessage, encodeMessage } from './inbound.ts'

export function encodeText({ text, mentions, quoted }: TextToSend): Uint8Array<ArrayBuffer> {
  const contextInfo: proto.IContextInfo = {
    ...(mentions.length > 0 && { mentionedJid: mentions.map(outward) }),
    ...(quoted && {
      stanzaId: quoted.messageid,
      participant: outward(quoted.sender),
      quotedMessage: withoutContext(decodeMessage(quoted.wire)),
    }),
  }
  return encodeMessage({
    extendedTextMessage: { text, contextInfo },
    messageContextInfo: { messageSecret: randomBytes(32) },
  })
}

/** A quote does not carry the quotes inside it. */
function withoutContext(message: proto.IMessage): proto.IMessage {
  const content = normalizeMessageContent(message)
  const type = getContentType(content)
  const part = type && content?.[type]
  if (!content || !type || !part) return {}
  if (typeof part === 'object' && 'contextInfo' in part)
    return { [type]: { ...part, contextInfo: undefined } }
  return { [type]: part }
}

export interface Outgoing {
  send(messageid: string, to: string, wire: Uint8Array, deadline: AbortSignal): Promise<Answer>
  acknowledged(ack: Ack): void
  /** The socket is gone: what has no ack yet never gets one. */
  lost(): void
}

export function makeOutgoing(sock: WASocket): Outgoing {
  const waiting = new Map<string, (answer: Answer) => void>()

  return {
    async send(messageid, to, wire, deadline) {
      // Before anything is written: a quick ack must find somebody listening.
      const ack = Promise.withResolvers<Answer>()
      waiting.set(messageid, ack.resolve)
      try {
        return await answered(async () => {
          const id = outward(to)
          if (!isGroup(to) && (await sock.getUSyncDevices([id], true, false)).length === 0) {
            // The library would send a message to nobody, and call it sent.
            return { kind: 'refused', code: 404, message: 'the account has no device' }
          }
          await sock.relayMessage(id, decodeMessage(wire), { messageId: messageid })
          return await ack.promise
        }, deadline)
      } finally {
        waiting.delete(messageid)
      }
    },
    acknowledged({ messageid, code }) {
      const answer: Answer =
        code === undefined ? { kind: 'done', value: undefined } : { kind: 'refused', code }
      waiting.get(messageid)?.(answer)
    },
    lost() {
      for (const settle of waiting.values()) settle({ kind: 'silent', message: 'the connection was lost' })
    },
  }
}
