// Sends messages to people. Devices that an old list left out get the message afterwards.

import type { CacheStore, WASocket } from 'baileys'
import type { Log } from '../../../log.ts'
import type { Answer } from '../../driver.ts'
import { type Attempts, always, type Disputes, never, type Repeat, type ServerAck } from './attempts.ts'
import { type DeviceList, personDevices } from './device-lists.ts'
import { assumePhone } from './recipient-devices.ts'
import { relay, relayToSome, type Sending } from './relay.ts'

interface Deps {
  sock: WASocket
  attempts: Attempts
  disputes: Disputes
  /** The library's lists of devices. */
  devices: CacheStore
  log: Log
}

export type PersonSend = (sending: Sending, deadline: AbortSignal) => Promise<Answer<Repeat | undefined>>

export function makePersonSend({ sock, attempts, disputes, devices, log }: Deps): PersonSend {
  /** The message is sent and stays so, whatever becomes of this. */
  async function repeat(sending: Sending, ack: ServerAck, sent: DeviceList) {
    const { to, messageid } = sending
    const { jids, hash } = await personDevices(sock, to, 'fresh')
    if (disputes.isOld(to, ack, { hash })) disputes.add(to, ack)
    const missed = jids.filter((jid) => !sent.jids.includes(jid))
    if (missed.length === 0) return
    log.info(
      { messageid, devices: missed.length },
      'the list of devices was old, so the others get the message now',
    )
    await attempts.begin(sending, () => relayToSome(sock, sending, missed), never)
  }

  return async (sending, deadline) => {
    const { to } = sending
    let list = await personDevices(sock, to, 'known')
    if (list.theirs === 0) {
      const found = await assumePhone(sock, devices, sending, deadline)
      if (found.kind !== 'done') return found
      list = await personDevices(sock, to, 'known')
    }
    const answer = await attempts.begin(sending, () => relay(sock, sending, {}), always)
    if (answer.kind !== 'done') return answer
    const old = disputes.isOld(to, answer.value, list)
    return { kind: 'done', value: old ? () => repeat(sending, answer.value, list) : undefined }
  }
}
