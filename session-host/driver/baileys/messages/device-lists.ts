// The devices that a message is encrypted for, and their hash: the network answers with its own if its list is another one.

import { createHash } from 'node:crypto'
import {
  type CacheStore,
  extractDeviceJids,
  type FullJid,
  isHostedLidUser,
  isHostedPnUser,
  isLidUser,
  isPnUser,
  jidDecode,
  jidEncode,
  jidNormalizedUser,
  USyncQuery,
  USyncUser,
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
/** Every account has a phone, under this number. */
export const PHONE = 0

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
  const lists = await loadDevices(sock, people, age)
  // The library leaves this device out of its account's list by number, but not by LID.
  const own = [getOwnDevice(sock, 'pn'), getOwnDevice(sock, 'lid')]
  return lists
    .flat()
    .map(({ user, server, device }) => jidEncode(user, server, device))
    .filter((jid) => !own.includes(jid))
}

/**
 * The lists of these people, which are also put where the library looks when it sends. Whenever it has to request one itself, it begins
 * a new session with the phone of each person in it: that uses up one of the phone's one-time keys, and of forty sessions the oldest,
 * in which messages may be under way, is deleted.
 */
export async function loadDevices(sock: WASocket, people: string[], age: ListAge): Promise<FullJid[][]> {
  const cache = sock.userDevicesCache as CacheStore
  const users = new Map(people.map((jid) => [jidDecode(jid)?.user ?? '', jid]))
  const lists = new Map<string, FullJid[]>()
  if (age === 'known')
    for (const user of users.keys()) {
      const known = await cache.get<FullJid[]>(user)
      if (known) lists.set(user, known)
    }
  const missing = [...users].filter(([user]) => !lists.has(user)).map(([, jid]) => jid)
  if (missing.length > 0)
    for (const [user, list] of await requestDevices(sock, missing)) lists.set(user, list)
  return [...lists.values()]
}

async function requestDevices(sock: WASocket, people: string[]): Promise<Map<string, FullJid[]>> {
  const { userDevicesCache: cache, devicesMutex, signalRepository, authState } = sock
  const query = new USyncQuery().withContext('message').withDeviceProtocol().withLIDProtocol()
  for (const jid of people) query.withUser(new USyncUser().withId(jid))
  const found = (await sock.executeUSyncQuery(query))?.list ?? []
  const pairs = found.flatMap(({ id, lid }) =>
    isPnUser(id) && typeof lid === 'string' ? [{ pn: id, lid }] : [],
  )
  if (pairs.length > 0) await signalRepository.lidMapping.storeLIDPNMappings(pairs)
  const { id = '', lid = '' } = authState.creds.me ?? {}
  const lists = Map.groupBy(extractDeviceJids(found, id, lid, false), ({ user }) => user)
  await devicesMutex.mutex(async () => {
    for (const [user, list] of lists) await cache.set(user, list)
  })
  // By it the library finds the sessions of a number that turns out to have a LID.
  const names = [...lists].map(([user, list]) => [user, list.map(({ device }) => String(device ?? PHONE))])
  if (names.length > 0) await authState.keys.set({ 'device-list': Object.fromEntries(names) })
  return lists
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
