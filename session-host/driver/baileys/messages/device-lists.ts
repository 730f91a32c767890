// The devices that a message is encrypted for, and their hash: the network answers with its own if its list is another one.

import { createHash } from 'node:crypto'
import {
  isHostedLidUser,
  isHostedPnUser,
  isLidUser,
  jidDecode,
  jidNormalizedUser,
  type WASocket,
} from 'baileys'
import type { NetworkGroup } from '../../driver.ts'
import { toGroupMetadata } from '../groups/group-conversion.ts'

export interface DeviceList {
  /** Of others, and our own but this one. */
  jids: string[]
  /** Of these and this device. */
  hash: string
}

/** A known list may be minutes old; a fresh one is requested from the network. */
export type ListAge = 'known' | 'fresh'

const HASH_BYTES = 6

/** Each address in the hash names its device, also a phone's, and an agent, which is always 0. */
export function hashDevices(jids: string[]): string {
  const addresses = jids.map((jid) => {
    const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {}
    return `${user}.0:${device}@${server}`
  })
  const digest = createHash('sha256').update(addresses.sort().join('')).digest()
  return `2:${digest.subarray(0, HASH_BYTES).toString('base64')}`
}

/** Hosted devices are in no group: they would read it on a server. */
const isHosted = (jid: string) => isHostedPnUser(jid) || isHostedLidUser(jid)

/** This device, as it is addressed in such a chat. */
function getOwnDevice({ authState }: WASocket, form: 'pn' | 'lid'): string {
  const { id = '', lid } = authState.creds.me ?? {}
  return form === 'lid' && lid ? lid : id
}

async function findDevices(sock: WASocket, people: string[], age: ListAge): Promise<string[]> {
  const found = await sock.getUSyncDevices(people, age === 'known', false)
  // The library leaves this device out of its account's list by number, but not by LID.
  const own = [getOwnDevice(sock, 'pn'), getOwnDevice(sock, 'lid')]
  return found.map(({ jid }) => jid).filter((jid) => !own.includes(jid))
}

export async function findGroupDevices(
  sock: WASocket,
  group: NetworkGroup,
  age: ListAge,
): Promise<DeviceList> {
  const members = toGroupMetadata(group).participants.map(({ id }) => id)
  const jids = (await findDevices(sock, members, age)).filter((jid) => !isHosted(jid))
  return { jids, hash: hashDevices([...jids, getOwnDevice(sock, group.addressing)]) }
}

/** Of the person and of ourselves; `peerCount` is the number of the person's devices. */
export async function findPersonDevices(
  sock: WASocket,
  person: string,
  age: ListAge,
): Promise<DeviceList & { peerCount: number }> {
  const own = getOwnDevice(sock, isLidUser(person) ? 'lid' : 'pn')
  const people = new Set([jidNormalizedUser(own), jidNormalizedUser(person)])
  const jids = await findDevices(sock, [...people], age)
  const { user } = jidDecode(person) ?? {}
  const peerCount = jids.filter((jid) => jidDecode(jid)?.user === user).length
  return { jids, hash: hashDevices([...jids, own]), peerCount }
}
