// A companion's message: checked, acknowledged, and passed to each device that it was encrypted for.
import { children, type Stanza, stanza } from '../../codec/stanza.ts'
import { receiveAtHosted } from '../../phones/hosted.ts'
import { type Incoming, receiveAtPhone } from '../../phones/receiving.ts'
import type { Account } from '../../store/accounts.ts'
import { HOSTED, isGroup, neutral, STATUS } from '../address.ts'
import { type Connection, whose } from '../connections.ts'
import type { Network } from '../network.ts'
import { Refusal } from '../refusal.ts'
import { seconds } from '../stamps.ts'
import { streamError } from '../stream-errors.ts'
import { chatKey, chatName } from './chats.ts'
import { postToGroup } from './group-addressing.ts'
import { postToPerson } from './message-addressing.ts'
import { deliverMessage } from './message-delivery.ts'
import { messageStanza } from './message-stanza.ts'
import type { Copy } from './posting.ts'
import { postToStatus } from './status-addressing.ts'

export async function takeMessage(network: Network, connection: Connection, message: Stanza) {
  const { number, device } = whose(connection)
  const { id, to } = message.attrs
  const account = number === null ? undefined : network.store.accounts.find(number)
  const companion = account && device !== null && network.store.companions.find(account.number, device)
  if (!account || !companion || !id || !to) {
    connection.socket.end(streamError(400))
    return
  }
  const sentAt = Date.now()
  try {
    const sender = { account, companion }
    const post = postingFor(to)
    const { chat, form, copies, phash } = post(network, sender, message)
    const { edit, peer_recipient_pn: named } = message.attrs
    network.log.saw(
      { number, device },
      {
        ...{ what: 'message', id, to: chatName(chat), form },
        ...(named && { peerRecipientPn: neutral(named) }),
        ...(edit && { edit }),
      },
    )
    const judgedCopies = copies()
    const group = isGroup(to) ? to : undefined
    const fault = network.faults.forMessage({ number: account.number, group })
    if (fault.refused !== undefined) throw new Refusal(fault.refused)
    const sent: Sent = { id, sender: account, device: companion.device, chat, form, sentAt }
    keep(network, sent)
    for (const copy of judgedCopies) {
      if (!keptOut(network, sent, copy.account)) await pass(network, sent, message, copy)
    }
    // Last: what is acknowledged has been kept, and a network that is killed now does not lose it.
    if (!fault.silent) acknowledge(network, connection, message, { sentAt, phash })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    acknowledge(network, connection, message, { sentAt, error: String(error.code) })
  }
}

function postingFor(to: string) {
  if (to === STATUS) return postToStatus
  return isGroup(to) ? postToGroup : postToPerson
}

type Sent = Omit<Incoming, 'encrypted'>

function keep(network: Network, { id, sender, device, chat, form, sentAt }: Sent) {
  const content = undefined
  const kept = { id, sender: sender.number, device, chat: chatKey(chat), form, content, sentAt }
  network.store.messages.add(kept)
}

/** Messages of a blocked sender are dropped without notice. */
function keptOut({ store }: Network, { sender, chat }: Sent, account: Account): boolean {
  return !isGroup(chatKey(chat)) && store.privacy.hasBlocked(account.number, sender.number)
}

async function pass(network: Network, sent: Sent, message: Stanza, { account, device, content }: Copy) {
  if (device === HOSTED) return receiveAtHosted(network, account, { ...sent, encrypted: content })
  if (device === 0) return receiveAtPhone(network, account, { ...sent, encrypted: content })
  const { type = 'text', edit } = message.attrs
  const envelope = { ...sent, to: account, type, edit }
  const vouched = content.some((enc) => enc.attrs.type === 'pkmsg')
  const proof = vouched ? children(message, 'device-identity') : []
  deliverMessage(network, account.number, device, messageStanza(envelope, [...content, ...proof]))
}

type Acknowledgement = { sentAt: number; error?: string; phash?: string | undefined }

function acknowledge(
  network: Network,
  connection: Connection,
  { attrs }: Stanza,
  { sentAt, error, phash }: Acknowledgement,
) {
  const from = { id: attrs.id, from: attrs.to, t: seconds(sentAt) }
  const addressing_mode = network.store.groups.find(attrs.to ?? '')?.form
  const ack = stanza('ack', { class: 'message', ...from, phash, addressing_mode, error })
  network.faults.later({ number: whose(connection).number ?? undefined, tags: ['message'] }, () =>
    connection.socket.send(ack),
  )
}
