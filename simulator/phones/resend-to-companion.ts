// A phone sends a companion of its own account what that could not decrypt, from its own store.
import { proto } from '../codec/protobuf.ts'
import { formatAddress, isGroupJid } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { sendToCompanion } from './peer-messages.ts'

const SENDS_AGAIN = 'sends_again'

/** Whether the phone does so; it does unless a test says otherwise. */
export const setResend = ({ store }: Network, { number }: Account, on: boolean) =>
  store.privacy.storeValue(number, SENDS_AGAIN, on ? 'yes' : 'no')

const sendsAgain = ({ store }: Network, { number }: Account): boolean =>
  store.privacy.readValue(number, SENDS_AGAIN, 'yes') === 'yes'

interface Request {
  device: number
  /** The id of the message that asks. */
  request: string
  lost: proto.Message.PeerDataOperationRequestMessage.IPlaceholderMessageResendRequest[]
}

export async function sendAgain(network: Network, phone: Account, { device, request, lost }: Request) {
  if (!sendsAgain(network, phone)) return
  const peerDataOperationResult = lost.flatMap(({ messageKey }) => {
    const info = findInfo(network, phone, messageKey ?? {})
    if (info === undefined) return []
    const webMessageInfoBytes = proto.WebMessageInfo.encode(info).finish()
    return [{ placeholderMessageResendResponse: { webMessageInfoBytes } }]
  })
  if (peerDataOperationResult.length === 0) return
  await sendToCompanion(network, phone, device, {
    type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
    peerDataOperationRequestResponseMessage: {
      peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
      stanzaId: request,
      peerDataOperationResult,
    },
  })
}

/** The message as the phone has it, in the chat that the companion names. */
function findInfo(
  { store }: Network,
  phone: Account,
  { id, remoteJid }: proto.IMessageKey,
): proto.IWebMessageInfo | undefined {
  const stored = store.messages.find(id ?? '')
  const sender = store.accounts.find(stored?.sender ?? '')
  if (!stored?.content || !sender || !remoteJid) return undefined
  const isHere = isGroupJid(remoteJid)
    ? stored.chat === remoteJid
    : [stored.chat, stored.sender].includes(phone.number)
  if (!isHere) return undefined
  const participant = isGroupJid(remoteJid) ? { participant: formatAddress(sender, stored.form) } : {}
  return {
    key: { remoteJid, id: id ?? '', fromMe: sender.number === phone.number, ...participant },
    message: proto.Message.decode(stored.content),
    messageTimestamp: Math.floor(stored.sentAt / 1000),
    pushName: sender.name ?? null,
  }
}
