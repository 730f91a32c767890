// Encrypts a message and writes it: for a whole chat, or for some devices of a person.

import { isGroup } from '@msgnet/shared/jid.ts'
import { type BinaryNode, encodeSignedDeviceIdentity, isLidUser, type proto, type WASocket } from 'baileys'
import type { NetworkOutcome } from '../../driver.ts'
import { findNode } from '../connection/network-query.ts'
import { type Address, buildPeerAttributes } from '../recipient-addressing.ts'
import { buildFlowMarks, buildMetaNodes, getEnvelopeAttributes, getStanzaType } from './message-encoding.ts'

/** Its address is that of the chat. */
export interface OutgoingMessage extends Address {
  messageid: string
  message: proto.IMessage
  /** Set when the socket has taken it. */
  written: boolean
}

/** The library encrypts before it writes. */
const NO_ENCRYPTION = 'All encryptions failed'

/** Rethrows every error that leaves open whether the message was written. */
export function toPrevention(error: unknown): Extract<NetworkOutcome, { kind: 'prevented' }> {
  if (!(error instanceof Error) || error.message !== NO_ENCRYPTION) throw error
  return { kind: 'prevented', by: 'encryption_failed', message: error.message }
}

/** `phash`: the hash of a group's devices. `audience`: of a status post, in the network's form. */
export const relayToChat = (
  sock: WASocket,
  { messageid, message, ...address }: OutgoingMessage,
  { phash, audience }: { phash?: string; audience?: string[] },
): Promise<unknown> =>
  sock.relayMessage(address.to, message, {
    messageId: messageid,
    additionalAttributes: {
      ...getEnvelopeAttributes(message),
      ...buildPeerAttributes(address),
      ...(phash && { phash }),
    },
    additionalNodes: buildMetaNodes(message),
    ...(audience && { statusJidList: audience }),
  })

/** The library can only send to all devices of a person, and the others have the message already. */
export async function relayToDevices(
  sock: WASocket,
  { messageid, message, ...address }: OutgoingMessage,
  devices: string[],
): Promise<void> {
  const { keys, creds } = sock.authState
  const { to } = address
  await keys.transaction(async () => {
    await sock.assertSessions(devices)
    const copies = await sock.createParticipantNodes(devices, message, {}, buildOwnCopy(to, message))
    const identity = copies.shouldIncludeDeviceIdentity ? buildDeviceIdentity(sock) : []
    const participants = { tag: 'participants', attrs: {}, content: copies.nodes }
    const attrs = {
      id: messageid,
      to,
      type: getStanzaType(message),
      ...getEnvelopeAttributes(message),
      ...buildPeerAttributes(address),
    }
    await sock.sendNode({
      tag: 'message',
      attrs,
      content: [participants, ...identity, ...buildMetaNodes(message)],
    })
  }, creds.me?.id ?? '')
}

/** Once more to one device that requested it, under the id and the addresses that it named. */
export async function relayToDevice(
  sock: WASocket,
  message: proto.IMessage,
  addresses: { id: string; to: string; participant?: string; recipient?: string },
  { device, count }: { device: string; count: number },
): Promise<void> {
  const { keys, creds } = sock.authState
  await keys.transaction(async () => {
    await sock.assertSessions([device], true)
    const chat = addresses.recipient ?? addresses.to
    const isInGroup = isGroup(addresses.to)
    const content = isInGroup ? { ...message, ...(await buildGroupKey(sock, addresses.to, device)) } : message
    const { nodes } = await sock.createParticipantNodes([device], content, {}, buildOwnCopy(chat, content))
    const enc = nodes[0] && findNode(nodes[0], 'enc')
    if (!enc) throw new Error('not encrypted for the device that asked')
    const copy = { ...enc, attrs: { ...enc.attrs, count: String(count) } }
    const attrs = {
      ...addresses,
      type: getStanzaType(message),
      ...(!isInGroup && { device_fanout: 'false' }),
      ...getEnvelopeAttributes(message),
    }
    await sock.sendNode({
      tag: 'message',
      attrs,
      content: [copy, ...buildDeviceIdentity(sock), ...buildFlowMarks(message)],
    })
  }, creds.me?.id ?? '')
}

/** With it the device reads what follows in the group. Empty if this device has no key for the way in which it is addressed there. */
async function buildGroupKey(
  { signalRepository, authState }: WASocket,
  group: string,
  device: string,
): Promise<proto.IMessage> {
  const { id = '', lid } = authState.creds.me ?? {}
  const sender = { group, meId: isLidUser(device) && lid ? lid : id }
  if (!(await signalRepository.hasSenderKey(sender))) return {}
  const key = await signalRepository.getSenderKeyDistributionMessage(sender)
  return { senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage: key } }
}

/** The copy for our own devices names the chat. */
const buildOwnCopy = (chat: string, message: proto.IMessage): proto.IMessage => ({
  deviceSentMessage: { destinationJid: chat, message },
  messageContextInfo: message.messageContextInfo ?? null,
})

const buildDeviceIdentity = ({ authState: { creds } }: WASocket): BinaryNode[] =>
  creds.account
    ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(creds.account, true) }]
    : []
