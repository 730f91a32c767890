// Checks a companion's message to a group: whether it may send there, and the part for each device.
import { child, children, type Stanza } from '../../codec/stanza.ts'
import { groupAt, maySend } from '../../groups/rules.ts'
import type { Account } from '../../store/accounts.ts'
import type { Group } from '../../store/groups.ts'
import { HOSTED } from '../address.ts'
import type { Network } from '../network.ts'
import { Refusal } from '../refusal.ts'
import { type Device, devicesOf, hashDevices } from './device-hash.ts'
import { addressee, type Copy, INVALID, judged, type Posting, type Sender, wellFormed } from './posting.ts'

/** The sender assumed the group's other form of addresses. */
const STALE_ADDRESSING = 421

export function postToGroup(network: Network, sender: Sender, message: Stanza): Posting {
  const group = groupAt(network, message.attrs.to)
  maySend(network, group, sender.account)
  const mode = message.attrs.addressing_mode ?? group.form
  if (mode !== group.form) throw new Refusal(STALE_ADDRESSING)
  const devices = memberDevices(network, group)
  const copies = () =>
    message.attrs.participant === undefined
      ? copiesForAll(network, sender, group, devices, message)
      : copyForOne(network, sender, group, message)
  const phash = hashDevices(devices, group.form)
  const agreed = message.attrs.phash === undefined || message.attrs.phash === phash
  return { chat: group, form: group.form, copies, phash: agreed ? undefined : phash }
}

/** Hosted devices are in no group. */
function memberDevices(network: Network, { jid }: Group): Device[] {
  return network.store.groups.members(jid).flatMap(({ number }) => {
    const account = network.store.accounts.find(number)
    return account === undefined ? [] : devicesOf(network, account).filter(({ device }) => device !== HOSTED)
  })
}

/** The message is encrypted once; a device that lacks the sender's key gets the key with it. */
function copiesForAll(
  network: Network,
  sender: Sender,
  group: Group,
  devices: Device[],
  message: Stanza,
): Copy[] {
  const shared = child(message, 'enc')
  if (!shared || !wellFormed(shared, /^skmsg$/)) throw new Refusal(INVALID)
  const keys = new Map<string, Stanza>()
  for (const to of children(child(message, 'participants'), 'to')) {
    const { account, address } = addressee(network, to.attrs.jid)
    if (address.form !== group.form || address.device === HOSTED) throw new Refusal(INVALID)
    keys.set(`${account.number}.${address.device}`, judged(message, child(to, 'enc'), sender))
  }
  return devices
    .filter(({ account, device }) => !isSender(sender, account, device))
    .map(({ account, device }) => {
      const key = keys.get(`${account.number}.${device}`)
      return { account, device, content: key === undefined ? [shared] : [key, shared] }
    })
}

/** A message sent again to the one device that could not decrypt it. */
function copyForOne(network: Network, sender: Sender, group: Group, message: Stanza): Copy[] {
  const { account, address, present } = addressee(network, message.attrs.participant)
  if (address.form !== group.form) throw new Refusal(INVALID)
  const content = [judged(message, child(message, 'enc'), sender)]
  const entitled = network.store.groups.member(group.jid, account.number) !== undefined
  return entitled && present ? [{ account, device: address.device, content }] : []
}

function isSender({ account, companion }: Sender, other: Account, device: number): boolean {
  return account.number === other.number && companion.device === device
}
