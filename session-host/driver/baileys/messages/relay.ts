// Encrypts a message and writes it: for a whole chat, or for some devices of a person.

import { encodeSignedDeviceIdentity, type proto, type WASocket } from 'baileys'
import type { Answer } from '../../driver.ts'
import { outward } from '../ids.ts'
import { envelopeOf, nodesBeside, stanzaType } from './encoding.ts'

export interface Sending {
  messageid: string
  /** The chat in the network's form. */
  to: string
  message: proto.IMessage
  /** Set when it was given to the socket. */
  written: boolean
}

/** The library encrypts before it writes. */
const ENCRYPTED_FOR_NOBODY = 'All encryptions failed'

/** Throws again what says nothing of whether the message was written. */
export function toPrevention(thrown: unknown): Extract<Answer, { kind: 'prevented' }> {
  if (!(thrown instanceof Error) || thrown.message !== ENCRYPTED_FOR_NOBODY) throw thrown
  return { kind: 'prevented', by: 'encryption_failed', message: thrown.message }
}

/** `phash`: the hash of a group's devices. `audience`: of a status post. */
export const relay = (
  sock: WASocket,
  { messageid, to, message }: Sending,
  { phash, audience }: { phash?: string; audience?: string[] },
): Promise<unknown> =>
  sock.relayMessage(to, message, {
    messageId: messageid,
    additionalAttributes: { ...envelopeOf(message), ...(phash && { phash }) },
    additionalNodes: nodesBeside(message),
    ...(audience && { statusJidList: audience.map(outward) }),
  })

/** The library can only send to all devices of a person, and the others have the message already. */
export async function relayToSome(
  sock: WASocket,
  { messageid, to, message }: Sending,
  devices: string[],
): Promise<void> {
  const { keys, creds } = sock.authState
  // The copies for our own devices name the chat.
  const ownCopy = {
    deviceSentMessage: { destinationJid: to, message },
    messageContextInfo: message.messageContextInfo ?? null,
  }
  await keys.transaction(async () => {
    await sock.assertSessions(devices)
    const copies = await sock.createParticipantNodes(devices, message, {}, ownCopy)
    const identity =
      copies.shouldIncludeDeviceIdentity && creds.account
        ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(creds.account, true) }]
        : []
    const participants = { tag: 'participants', attrs: {}, content: copies.nodes }
    const attrs = { id: messageid, to, type: stanzaType(message), ...envelopeOf(message) }
    await sock.sendNode({
      tag: 'message',
      attrs,
      content: [participants, ...identity, ...nodesBeside(message)],
    })
  }, creds.me?.id ?? '')
}
