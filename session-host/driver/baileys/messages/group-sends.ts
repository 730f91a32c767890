// Sends messages to groups. When the network shows that the stored group is old, it is requested, and the message sent once more.

import type { WASocket } from 'baileys'
import type { Log } from '../../../host-log.ts'
import type { NetworkGroup, NetworkOutcome } from '../../driver.ts'
import { findGroupDevices } from './device-lists.ts'
import { type OutgoingMessage, relayToChat } from './relay.ts'
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
  /** As stored. */
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  /** Requests the group from the network, and stores it. */
  refreshGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>>
  log: Log
}

type GroupView = { group: NetworkGroup; hash: string }

/** The message was addressed as the group addressed its members before. */
const STALE_GROUP = 421

export type GroupSend = (
  sending: OutgoingMessage,
  deadline: AbortSignal,
) => Promise<NetworkOutcome<RepeatSend | undefined>>

export function createGroupSend({
  sock,
  attempts,
  staleLists,
  findGroup,
  refreshGroup,
  log,
}: Deps): GroupSend {
  /** Messages that are refused together share one request. */
  const runningRequests = new Map<string, Promise<NetworkOutcome<GroupView>>>()

  async function requestGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<GroupView>> {
    const outcome = await refreshGroup(jid, deadline)
    if (outcome.kind !== 'done') return outcome
    const { hash } = await findGroupDevices(sock, outcome.value, 'fresh')
    return { kind: 'done', value: { group: outcome.value, hash } }
  }
  function refreshOnce(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<GroupView>> {
    const running =
      runningRequests.get(jid) ?? requestGroup(jid, deadline).finally(() => runningRequests.delete(jid))
    runningRequests.set(jid, running)
    return running
  }

  /** A refused message gave the group's key to no one, but the library has recorded that it did. */
  const forgetKeyHolders = (jid: string) => sock.authState.keys.set({ 'sender-key-memory': { [jid]: null } })

  async function resendRefused(
    sending: OutgoingMessage,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<ServerAck> | undefined> {
    const known = await refreshOnce(sending.to, deadline)
    if (known.kind !== 'done') return undefined
    await forgetKeyHolders(sending.to)
    const { hash } = known.value
    return attempts.attemptSend(sending, () => relayToChat(sock, sending, { phash: hash }), acceptAnyAck)
  }

  /** The message is sent and stays so, whatever becomes of this. */
  async function resendAccepted(
    sending: OutgoingMessage,
    ack: ServerAck,
    sent: GroupView,
    deadline: AbortSignal,
  ) {
    const { to, messageid } = sending
    const known = await refreshOnce(to, deadline)
    if (known.kind !== 'done') return
    const { hash, group } = known.value
    if (staleLists.isStale(to, ack, { hash, addressing: group.addressing })) staleLists.recordDispute(to, ack)
    if (hash === sent.hash && group.addressing === sent.group.addressing) return
    log.info({ group: to, messageid }, 'the stored group was old, so its message is sent once more')
    await attempts.attemptSend(sending, () => relayToChat(sock, sending, { phash: hash }), ignoreAck)
  }

  return async (sending, deadline) => {
    const { to } = sending
    const stored = await findGroup(to)
    const asked = stored ? { kind: 'done' as const, value: stored } : await refreshGroup(to, deadline)
    if (asked.kind !== 'done') return asked
    const group = asked.value
    const { hash } = await findGroupDevices(sock, group, 'known')
    const write = () => relayToChat(sock, sending, { phash: hash })
    const first = await attempts.attemptSend(sending, write, ({ code }) => code !== STALE_GROUP)
    const stale = first.kind === 'refused' && first.code === STALE_GROUP
    const outcome = (stale && (await resendRefused(sending, deadline))) || first
    if (outcome.kind === 'refused') await forgetKeyHolders(to)
    if (outcome.kind !== 'done') return outcome
    const mustRepeat = !stale && staleLists.isStale(to, outcome.value, { hash, addressing: group.addressing })
    const repeat = (late: AbortSignal) => resendAccepted(sending, outcome.value, { group, hash }, late)
    return { kind: 'done', value: mustRepeat ? repeat : undefined }
  }
}
