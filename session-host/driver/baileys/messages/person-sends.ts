// Sends messages to people. Devices that an old list left out get the message afterwards.

import { type CacheStore, jidDecode, type WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { NetworkOutcome } from '../../driver.ts'
import { checkNumbers } from '../account-lookup.ts'
import { toGatewayJid } from '../ids.ts'
import type { Address } from '../recipient-addressing.ts'
import { type DeviceList, findPersonDevices, PHONE } from './device-lists.ts'
import { type OutgoingMessage, relayToChat, relayToDevices } from './relay.ts'
import {
  acceptAnyAck,
  ignoreAck,
  type RepeatSend,
  type SendAttempts,
  type ServerAck,
  type StaleLists,
} from './send-attempts.ts'

interface Deps {
  sock: WASocket
  attempts: SendAttempts
  staleLists: StaleLists
  /** The library's lists of devices. */
  devices: CacheStore
  log: Log
}

const NO_ACCOUNT = { kind: 'refused', code: 404, message: 'the account has no device' } as const

export class PersonSends {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Returns how to send the message to further devices, if some may have missed it. */
  async send(
    message: OutgoingMessage,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<RepeatSend | undefined>> {
    const { sock, attempts, staleLists, devices } = this.#deps
    const { to } = message
    let list = await findPersonDevices(sock, to, 'known')
    if (list.peerCount === 0) {
      const found = await assumePhone(sock, devices, message, deadline)
      if (found.kind !== 'done') return found
      list = await findPersonDevices(sock, to, 'known')
    }
    const sent = list
    const outcome = await attempts.attemptSend(message, () => relayToChat(sock, message, {}), acceptAnyAck)
    if (outcome.kind !== 'done') return outcome
    const ack = outcome.value
    const isStale = staleLists.isStale(to, ack, sent)
    return { kind: 'done', value: isStale ? () => this.#sendToMissed(message, ack, sent) : undefined }
  }

  /** The message is sent and stays so, whatever the outcome of this. */
  async #sendToMissed(message: OutgoingMessage, ack: ServerAck, sent: DeviceList): Promise<void> {
    const { sock, attempts, staleLists, log } = this.#deps
    const { to, messageid } = message
    const { jids, hash } = await findPersonDevices(sock, to, 'fresh')
    if (staleLists.isStale(to, ack, { hash })) staleLists.recordDispute(to, ack)
    const missed = jids.filter((jid) => !sent.jids.includes(jid))
    if (missed.length === 0) return
    log.info({ messageid, devices: missed.length }, 'sending message to more devices: device list was old')
    await attempts.attemptSend(message, () => relayToDevices(sock, message, missed), ignoreAck)
  }
}

/**
 * Refused with 404 when there is no account. An empty list does not mean that: then the phone alone is put into the list, as the
 * network's own program does it.
 */
async function assumePhone(
  sock: WASocket,
  cache: CacheStore,
  { to, pn }: Address,
  deadline: AbortSignal,
): Promise<NetworkOutcome<undefined>> {
  const { user, server } = jidDecode(to) ?? {}
  if (pn === undefined || user === undefined) return NO_ACCOUNT
  const outcome = await checkNumbers(sock, [toGatewayJid(pn)], deadline)
  if (outcome.kind !== 'done') return outcome
  const exists = outcome.value[0]?.exists
  // Nothing was written yet.
  if (exists === undefined) return { kind: 'prevented', by: 'lookup_incomplete' }
  if (!exists) return NO_ACCOUNT
  await cache.set(user, [{ user, server, device: PHONE }])
  return { kind: 'done', value: undefined }
}
