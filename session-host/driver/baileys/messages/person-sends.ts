// Sends messages to people. Devices that an old list left out get the message afterwards.

import type { CacheStore, WASocket } from 'baileys'
import type { Log } from '../../../host-log.ts'
import type { NetworkOutcome } from '../../driver.ts'
import { type DeviceList, findPersonDevices } from './device-lists.ts'
import { assumePhone } from './recipient-devices.ts'
import { type OutgoingMessage, relayToChat, relayToDevices } from './relay.ts'
import {
  type Attempts,
  acceptAnyAck,
  ignoreAck,
  type RepeatSend,
  type ServerAck,
  type StaleLists,
} from './send-attempts.ts'

interface Deps {
  sock: WASocket
  attempts: Attempts
  staleLists: StaleLists
  /** The library's lists of devices. */
  devices: CacheStore
  log: Log
}

export type PersonSend = (
  sending: OutgoingMessage,
  deadline: AbortSignal,
) => Promise<NetworkOutcome<RepeatSend | undefined>>

export function createPersonSend({ sock, attempts, staleLists, devices, log }: Deps): PersonSend {
  /** The message is sent and stays so, whatever becomes of this. */
  async function sendToMissed(sending: OutgoingMessage, ack: ServerAck, sent: DeviceList) {
    const { to, messageid } = sending
    const { jids, hash } = await findPersonDevices(sock, to, 'fresh')
    if (staleLists.isStale(to, ack, { hash })) staleLists.recordDispute(to, ack)
    const missed = jids.filter((jid) => !sent.jids.includes(jid))
    if (missed.length === 0) return
    log.info(
      { messageid, devices: missed.length },
      'the list of devices was old, so the others get the message now',
    )
    await attempts.attemptSend(sending, () => relayToDevices(sock, sending, missed), ignoreAck)
  }

  return async (sending, deadline) => {
    const { to } = sending
    let list = await findPersonDevices(sock, to, 'known')
    if (list.peerCount === 0) {
      const found = await assumePhone(sock, devices, sending, deadline)
      if (found.kind !== 'done') return found
      list = await findPersonDevices(sock, to, 'known')
    }
    const outcome = await attempts.attemptSend(sending, () => relayToChat(sock, sending, {}), acceptAnyAck)
    if (outcome.kind !== 'done') return outcome
    const old = staleLists.isStale(to, outcome.value, list)
    return { kind: 'done', value: old ? () => sendToMissed(sending, outcome.value, list) : undefined }
  }
}
