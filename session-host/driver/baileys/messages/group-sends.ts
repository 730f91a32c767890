// Sends messages to groups. When the network shows that the stored group is old, it is requested, and the message sent once more.

import type { WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { NetworkGroup, NetworkOutcome } from '../../driver.ts'
import { Effect } from '../../effect.ts'
import { findGroupDevices } from './device-lists.ts'
import { type OutgoingMessage, relayToChat } from './relay.ts'
import {
  acceptAnyAck,
  ignoreAck,
  type RepeatSend,
  type SendAttempts,
  type ServerAck,
  type StaleLists,
} from './send-attempts.ts'

/** Charges the instance for so many devices that get a key. Returns 0, or the milliseconds until it may go on. */
export type ChargeKeys = (devices: number) => number

interface Deps {
  sock: WASocket
  attempts: SendAttempts
  staleLists: StaleLists
  /** As stored. */
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  /** Requests the group from the network, and stores it. */
  refreshGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>>
  chargeKeys: ChargeKeys
  log: Log
}

type GroupView = { group: NetworkGroup; hash: string }

/** The message was addressed as the group addressed its members before. */
const STALE_GROUP = 421

export class GroupSends {
  readonly #deps: Deps
  /** Messages that are refused together share one request. */
  readonly #runningRequests = new Map<string, Promise<NetworkOutcome<GroupView>>>()
  /** The hash of the devices that have the key of a group: nothing is requested for a message to them. */
  readonly #keyHolders = new Map<string, string>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Returns how to send the message once more, if some members may have missed it. */
  async send(
    message: OutgoingMessage,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<RepeatSend | undefined>> {
    const { sock, attempts, staleLists, findGroup, refreshGroup } = this.#deps
    const { to } = message
    const refused = await this.#refuseFirstMessage(to)
    if (refused) return refused
    const stored = await findGroup(to)
    const found = stored ? { kind: 'done' as const, value: stored } : await refreshGroup(to, deadline)
    if (found.kind !== 'done') return found
    const group = found.value
    const { hash, jids } = await findGroupDevices(sock, group, 'known')
    if (this.#keyHolders.get(to) === hash) Effect.current?.announce()
    else {
      const unpaid = await this.#payForKeys(to, jids)
      if (unpaid) return unpaid
    }
    const write = () => relayToChat(sock, message, { phash: hash })
    const first = await attempts.attemptSend(message, write, ({ code }) => code !== STALE_GROUP)
    const stale = first.kind === 'refused' && first.code === STALE_GROUP
    const outcome = (stale && (await this.#resendRefused(message, deadline))) || first
    if (outcome.kind === 'refused') await this.#forgetKeyHolders(to)
    if (outcome.kind !== 'done') return outcome
    if (!stale) this.#keyHolders.set(to, hash)
    const ack = outcome.value
    const mustRepeat = !stale && staleLists.isStale(to, ack, { hash, addressing: group.addressing })
    const repeat: RepeatSend = (late) => this.#resendAccepted(message, ack, { group, hash }, late)
    return { kind: 'done', value: mustRepeat ? repeat : undefined }
  }

  /** Before its devices are looked up: that costs as much for each member as the message. */
  async #refuseFirstMessage(jid: string): Promise<Refusal | undefined> {
    if (this.#keyHolders.has(jid) || Object.keys(await this.#readKeyHolders(jid)).length > 0) return undefined
    return refuseUnpaid(this.#deps.chargeKeys(0))
  }

  async #payForKeys(jid: string, devices: string[]): Promise<Refusal | undefined> {
    const holders = await this.#readKeyHolders(jid)
    const missing = devices.filter((device) => !holders[device]).length
    return missing > 0 ? refuseUnpaid(this.#deps.chargeKeys(missing)) : undefined
  }

  /** The devices that have the group's key, as the library has recorded. */
  async #readKeyHolders(jid: string): Promise<Record<string, boolean>> {
    return (await this.#deps.sock.authState.keys.get('sender-key-memory', [jid]))[jid] ?? {}
  }

  async #resendRefused(
    message: OutgoingMessage,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<ServerAck> | undefined> {
    const { sock, attempts } = this.#deps
    const view = await this.#refreshOnce(message.to, deadline)
    if (view.kind !== 'done') return undefined
    await this.#forgetKeyHolders(message.to)
    const { hash } = view.value
    Effect.current?.repeat()
    return attempts.attemptSend(message, () => relayToChat(sock, message, { phash: hash }), acceptAnyAck)
  }

  /** The message is sent and stays so, whatever the outcome of this. */
  async #resendAccepted(
    message: OutgoingMessage,
    ack: ServerAck,
    sent: GroupView,
    deadline: AbortSignal,
  ): Promise<void> {
    const { sock, attempts, staleLists, log } = this.#deps
    const { to, messageid } = message
    const view = await this.#refreshOnce(to, deadline)
    if (view.kind !== 'done') return
    const { hash, group } = view.value
    const { addressing } = group
    if (staleLists.isStale(to, ack, { hash, addressing })) staleLists.recordDispute(to, ack)
    if (hash === sent.hash && addressing === sent.group.addressing) return
    log.info({ group: to, messageid }, 'sending message again: stored group was old')
    await attempts.attemptSend(message, () => relayToChat(sock, message, { phash: hash }), ignoreAck)
  }

  #refreshOnce(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<GroupView>> {
    const running =
      this.#runningRequests.get(jid) ??
      this.#requestGroup(jid, deadline).finally(() => this.#runningRequests.delete(jid))
    this.#runningRequests.set(jid, running)
    return running
  }

  async #requestGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<GroupView>> {
    const outcome = await this.#deps.refreshGroup(jid, deadline)
    if (outcome.kind !== 'done') return outcome
    const { hash } = await findGroupDevices(this.#deps.sock, outcome.value, 'fresh')
    return { kind: 'done', value: { group: outcome.value, hash } }
  }

  /** A refused message gave the group's key to no one, but the library has recorded that it did. */
  async #forgetKeyHolders(jid: string): Promise<void> {
    this.#keyHolders.delete(jid)
    await this.#deps.sock.authState.keys.set({ 'sender-key-memory': { [jid]: null } })
  }
}

type Refusal = Extract<NetworkOutcome, { kind: 'prevented' }>

export const refuseUnpaid = (waitMs: number): Refusal | undefined =>
  waitMs > 0 ? { kind: 'prevented', by: 'quota_reached', waitMs } : undefined
