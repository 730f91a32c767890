// Sends messages to groups. When the network shows that the stored group is old, it is requested, and the message sent once more.

import type { WASocket } from 'baileys'
import type { Log } from '../../../log.ts'
import type { Answer, NetworkGroup } from '../../driver.ts'
import { type Attempts, always, type Disputes, never, type Repeat, type ServerAck } from './attempts.ts'
import { groupDevices } from './device-lists.ts'
import { relay, type Sending } from './relay.ts'

interface Deps {
  sock: WASocket
  attempts: Attempts
  disputes: Disputes
  /** As stored. */
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  /** Requests the group from the network, and stores it. */
  renewGroup(jid: string, deadline: AbortSignal): Promise<Answer<NetworkGroup>>
  log: Log
}

type Known = { group: NetworkGroup; hash: string }

/** The message was addressed as the group addressed its members before. */
const STALE_GROUP = 421

export type GroupSend = (sending: Sending, deadline: AbortSignal) => Promise<Answer<Repeat | undefined>>

export function makeGroupSend({ sock, attempts, disputes, findGroup, renewGroup, log }: Deps): GroupSend {
  /** Messages that are refused together share one request. */
  const underway = new Map<string, Promise<Answer<Known>>>()

  async function renew(jid: string, deadline: AbortSignal): Promise<Answer<Known>> {
    const answer = await renewGroup(jid, deadline)
    if (answer.kind !== 'done') return answer
    const { hash } = await groupDevices(sock, answer.value, 'fresh')
    return { kind: 'done', value: { group: answer.value, hash } }
  }
  function renewed(jid: string, deadline: AbortSignal): Promise<Answer<Known>> {
    const running = underway.get(jid) ?? renew(jid, deadline).finally(() => underway.delete(jid))
    underway.set(jid, running)
    return running
  }

  /** A refused message gave the group's key to no one, but the library has recorded that it did. */
  const forgetKeyHolders = (jid: string) => sock.authState.keys.set({ 'sender-key-memory': { [jid]: null } })

  async function repeatRefused(
    sending: Sending,
    deadline: AbortSignal,
  ): Promise<Answer<ServerAck> | undefined> {
    const known = await renewed(sending.to, deadline)
    if (known.kind !== 'done') return undefined
    await forgetKeyHolders(sending.to)
    const { hash } = known.value
    return attempts.begin(sending, () => relay(sock, sending, { phash: hash }), always)
  }

  /** The message is sent and stays so, whatever becomes of this. */
  async function repeatAccepted(sending: Sending, ack: ServerAck, sent: Known, deadline: AbortSignal) {
    const { to, messageid } = sending
    const known = await renewed(to, deadline)
    if (known.kind !== 'done') return
    const { hash, group } = known.value
    if (disputes.isOld(to, ack, { hash, addressing: group.addressing })) disputes.add(to, ack)
    if (hash === sent.hash && group.addressing === sent.group.addressing) return
    log.info({ group: to, messageid }, 'the stored group was old, so its message is sent once more')
    await attempts.begin(sending, () => relay(sock, sending, { phash: hash }), never)
  }

  return async (sending, deadline) => {
    const { to } = sending
    const stored = await findGroup(to)
    const asked = stored ? { kind: 'done' as const, value: stored } : await renewGroup(to, deadline)
    if (asked.kind !== 'done') return asked
    const group = asked.value
    const { hash } = await groupDevices(sock, group, 'known')
    const write = () => relay(sock, sending, { phash: hash })
    const first = await attempts.begin(sending, write, ({ code }) => code !== STALE_GROUP)
    const stale = first.kind === 'refused' && first.code === STALE_GROUP
    const answer = (stale && (await repeatRefused(sending, deadline))) || first
    if (answer.kind === 'refused') await forgetKeyHolders(to)
    if (answer.kind !== 'done') return answer
    const repeats = !stale && disputes.isOld(to, answer.value, { hash, addressing: group.addressing })
    const repeat = (late: AbortSignal) => repeatAccepted(sending, answer.value, { group, hash }, late)
    return { kind: 'done', value: repeats ? repeat : undefined }
  }
}
