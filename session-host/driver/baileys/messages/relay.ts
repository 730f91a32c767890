// Encrypts a message and writes it: for a whole chat, or for some devices of a person.

import { type BinaryNode, encodeSignedDeviceIdentity, type proto, type WASocket } from 'baileys'
import type { Answer } from '../../driver.ts'
import { type Address, besideLid } from '../addressing.ts'
import { inside } from '../connection/ask.ts'
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
  await keys.transaction(async () => {
    await sock.assertSessions(devices)
    const copies = await sock.createParticipantNodes(devices, message, {}, ownCopy(to, message))
    const identity = copies.shouldIncludeDeviceIdentity ? deviceIdentity(sock) : []
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

/** Once more to one device, which asked for it: `whose` are the id and the addresses that it named. */
export async function relayAgain(
  sock: WASocket,
  message: proto.IMessage,
  whose: { id: string; to: string; recipient?: string },
  { device, count }: { device: string; count: number },
): Promise<void> {
  const { keys, creds } = sock.authState
  await keys.transaction(async () => {
    await sock.assertSessions([device], true)
    const chat = whose.recipient ?? whose.to
    const { nodes } = await sock.createParticipantNodes([device], message, {}, ownCopy(chat, message))
    const enc = nodes[0] && inside(nodes[0], 'enc')
    if (!enc) throw new Error('not encrypted for the device that asked')
    const copy = { ...enc, attrs: { ...enc.attrs, count: String(count) } }
    const attrs = { ...whose, type: stanzaType(message), device_fanout: 'false', ...envelopeOf(message) }
    await sock.sendNode({ tag: 'message', attrs, content: [copy, ...deviceIdentity(sock)] })
  }, creds.me?.id ?? '')
}

/** The copy for our own devices names the chat. */
const ownCopy = (chat: string, message: proto.IMessage): proto.IMessage => ({
  deviceSentMessage: { destinationJid: chat, message },
  messageContextInfo: message.messageContextInfo ?? null,
})

const deviceIdentity = ({ authState: { creds } }: WASocket): BinaryNode[] =>
  creds.account
    ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(creds.account, true) }]
    : []
