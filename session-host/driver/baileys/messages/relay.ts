// Encrypts a message and writes it: for a whole chat, or for some devices of a person.

import { encodeSignedDeviceIdentity, type proto, type WASocket } from 'baileys'
import type { Answer } from '../../driver.ts'
import { type Address, besideLid } from '../addressing.ts'
import { envelopeOf, nodesBeside, stanzaType } from './encoding.ts'

/** Its address is that of the chat. */
export interface Sending extends Address {
  messageid: string
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

/** `phash`: the hash of a group's devices. `audience`: of a status post, in the network's form. */
export const relay = (
  sock: WASocket,
  { messageid, message, ...address }: Sending,
  { phash, audience }: { phash?: string; audience?: string[] },
): Promise<unknown> =>
  sock.relayMessage(address.to, message, {
    messageId: messageid,
    additionalAttributes: { ...envelopeOf(message), ...besideLid(address), ...(phash && { phash }) },
    additionalNodes: nodesBeside(message),
    ...(audience && { statusJidList: audience }),
  })

/** The library can only send to all devices of a person, and the others have the message already. */
export async function relayToSome(
  sock: WASocket,
  { messageid, message, ...address }: Sending,
  devices: string[],
): Promise<void> {
  const { keys, creds } = sock.authState
  const { to } = address
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
    const attrs = {
      id: messageid,
      to,
      type: stanzaType(message),
      ...envelopeOf(message),
      ...besideLid(address),
    }
    await sock.sendNode({
      tag: 'message',
      attrs,
      content: [participants, ...identity, ...nodesBeside(message)],
    })
  }, creds.me?.id ?? '')
}
