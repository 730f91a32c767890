// A companion's message: checked, acknowledged, and delivered to each device that it was encrypted for.
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import { deliverMessage } from '../messages/deliver-message.ts'
import { readFlowMark } from '../messages/form-marks.ts'
import { postToGroup } from '../messages/group-addressing.ts'
import { postToPerson } from '../messages/message-addressing.ts'
import { buildMessageStanza } from '../messages/message-stanza.ts'
import type { Copy } from '../messages/posting.ts'
import { postToStatus } from '../messages/status-addressing.ts'
import { HOSTED, isGroupJid, STATUS, toNeutralJid } from '../network/address.ts'
import { type Connection, getDeviceId } from '../network/connections.ts'
import { getChatKey, getChatName } from '../network/message-chats.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import { buildStreamError } from '../network/stream-errors.ts'
import { receiveAtHosted } from '../phones/hosted-device.ts'
import { type Incoming, receiveAtPhone } from '../phones/receive-at-phone.ts'
import type { Account } from '../store/account-table.ts'

export async function receiveMessage(network: Network, connection: Connection, message: Stanza) {
  const { number, device } = getDeviceId(connection)
  const { id, to } = message.attrs
  const account = number === null ? undefined : network.store.accounts.find(number)
  const companion = account && device !== null && network.store.companions.find(account.number, device)
  if (!account || !companion || !id || !to) {
    connection.socket.endWith(buildStreamError(400))
    return
  }
  const sentAt = Date.now()
  try {
    const sender = { account, companion }
    const post = choosePosting(to)
    const { chat, form, buildCopies, phash } = post(network, sender, message)
    const { edit, peer_recipient_pn: recipientPn } = message.attrs
    network.log.addEntry(
      { number, device },
      {
        what: 'message',
        id,
        to: getChatName(chat),
        form,
        ...(recipientPn && { peerRecipientPn: toNeutralJid(recipientPn) }),
        ...(edit && { edit }),
      },
    )
    const flow = readFlowMark(message)
    const checkedCopies = buildCopies()
    const group = isGroupJid(to) ? to : undefined
    const fault = network.faults.consumeMessageFault({ number: account.number, group })
    if (fault.refused !== undefined) throw new Refusal(fault.refused)
    const sent: Sent = { id, sender: account, device: companion.device, chat, form, sentAt, flow }
    storeMessage(network, sent)
    for (const copy of checkedCopies) {
      if (!isBlocked(network, sent, copy.account)) await deliverCopy(network, sent, message, copy)
    }
    // Last: an acknowledged message is stored, so a network that is killed now still has it.
    if (!fault.silent) acknowledgeMessage(network, connection, message, { sentAt, phash })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    acknowledgeMessage(network, connection, message, { sentAt, error: String(error.code) })
  }
}

function choosePosting(to: string) {
  if (to === STATUS) return postToStatus
  return isGroupJid(to) ? postToGroup : postToPerson
}

type Sent = Omit<Incoming, 'encrypted'>

function storeMessage(network: Network, { id, sender, device, chat, form, sentAt }: Sent) {
  const content = undefined
  const stored = { id, sender: sender.number, device, chat: getChatKey(chat), form, content, sentAt }
  network.store.messages.add(stored)
}

/** Messages of a blocked sender are dropped without notice. */
function isBlocked({ store }: Network, { sender, chat }: Sent, account: Account): boolean {
  return !isGroupJid(getChatKey(chat)) && store.privacy.hasBlocked(account.number, sender.number)
}

async function deliverCopy(
  network: Network,
  sent: Sent,
  message: Stanza,
  { account, device, content }: Copy,
) {
  if (device === HOSTED) return receiveAtHosted(network, account, { ...sent, encrypted: content })
  if (device === 0) return receiveAtPhone(network, account, { ...sent, encrypted: content })
  const { type = 'text', edit } = message.attrs
  const envelope = { ...sent, to: account, type, edit }
  const vouched = content.some((enc) => enc.attrs.type === 'pkmsg')
  const proof = vouched ? listChildren(message, 'device-identity') : []
  deliverMessage(network, account.number, device, buildMessageStanza(envelope, [...content, ...proof]))
}

type Acknowledgement = { sentAt: number; error?: string; phash?: string | undefined }

function acknowledgeMessage(
  network: Network,
  connection: Connection,
  { attrs }: Stanza,
  { sentAt, error, phash }: Acknowledgement,
) {
  const from = { id: attrs.id, from: attrs.to, t: formatSeconds(sentAt) }
  const addressing_mode = network.store.groups.find(attrs.to ?? '')?.form
  const ack = buildStanza('ack', { class: 'message', ...from, phash, addressing_mode, error })
  const group = isGroupJid(attrs.to) ? attrs.to : undefined
  const subject = { number: getDeviceId(connection).number ?? undefined, group, tags: ['message'] }
  network.faults.runDelayed(subject, () => connection.socket.send(ack))
}
