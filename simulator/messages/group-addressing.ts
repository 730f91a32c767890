// Checks a companion's message to a group: whether it may send there, and the part for each device.
import { findChild, listChildren, type Stanza } from '../codec/stanza.ts'
import { checkMaySend, getGroup } from '../groups/group-rules.ts'
import { HOSTED } from '../network/address.ts'
import { type Device, hashDevices, listDevices } from '../network/device-hash.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import {
  type Copy,
  checkEncrypted,
  findAddressee,
  INVALID,
  isWellFormed,
  type Posting,
  type Sender,
} from './posting.ts'

/** The sender assumed the group's other form of addresses. */
const STALE_ADDRESSING = 421

export function postToGroup(network: Network, sender: Sender, message: Stanza): Posting {
  const group = getGroup(network, message.attrs.to)
  checkMaySend(network, group, sender.account)
  const mode = message.attrs.addressing_mode ?? group.form
  if (mode !== group.form) throw new Refusal(STALE_ADDRESSING)
  const devices = listMemberDevices(network, group)
  const buildCopies = () =>
    message.attrs.participant === undefined
      ? buildCopiesForAll(network, sender, group, devices, message)
      : buildCopyForOne(network, sender, group, message)
  const phash = hashDevices(devices, group.form)
  const agreed = message.attrs.phash === undefined || message.attrs.phash === phash
  return { chat: group, form: group.form, buildCopies, phash: agreed ? undefined : phash }
}

/** Hosted devices are in no group. */
function listMemberDevices(network: Network, { jid }: Group): Device[] {
  return network.store.groups.listMembers(jid).flatMap(({ number }) => {
    const account = network.store.accounts.find(number)
    return account === undefined
      ? []
      : listDevices(network, account).filter(({ device }) => device !== HOSTED)
  })
}

/** The message is encrypted once; a device that lacks the sender's key gets the key with it. */
function buildCopiesForAll(
  network: Network,
  sender: Sender,
  group: Group,
  devices: Device[],
  message: Stanza,
): Copy[] {
  const shared = findChild(message, 'enc')
  if (!shared || !isWellFormed(shared, /^skmsg$/)) throw new Refusal(INVALID)
  const keys = new Map<string, Stanza>()
  for (const to of listChildren(findChild(message, 'participants'), 'to')) {
    const { account, address } = findAddressee(network, to.attrs.jid)
    if (address.form !== group.form || address.device === HOSTED) throw new Refusal(INVALID)
    keys.set(`${account.number}.${address.device}`, checkEncrypted(message, findChild(to, 'enc'), sender))
  }
  return devices
    .filter(({ account, device }) => !isSender(sender, account, device))
    .map(({ account, device }) => {
      const key = keys.get(`${account.number}.${device}`)
      return { account, device, content: key === undefined ? [shared] : [key, shared] }
    })
}

/** A message sent again to the one device that could not decrypt it. */
function buildCopyForOne(network: Network, sender: Sender, group: Group, message: Stanza): Copy[] {
  const { account, address, present } = findAddressee(network, message.attrs.participant)
  if (address.form !== group.form) throw new Refusal(INVALID)
  const content = [checkEncrypted(message, findChild(message, 'enc'), sender)]
  const entitled = network.store.groups.findMember(group.jid, account.number) !== undefined
  return entitled && present ? [{ account, device: address.device, content }] : []
}

function isSender({ account, companion }: Sender, other: Account, device: number): boolean {
  return account.number === other.number && companion.device === device
}
