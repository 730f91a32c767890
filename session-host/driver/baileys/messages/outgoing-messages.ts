// Sends messages to people, to groups and as status posts, until the network has acknowledged them.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { isGroup } from '@msgnet/shared/jid.ts'
import type { WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { NetworkGroup, NetworkOutcome } from '../../driver.ts'
import type { InstanceCaches } from '../connection/lasting-caches.ts'
import { runRequest } from '../connection/network-query.ts'
import type { RecipientAddressing } from '../recipient-addressing.ts'
import { loadDevices } from './device-lists.ts'
import { type ChargeKeys, GroupSends, refuseUnpaid } from './group-sends.ts'
import { decodeMessage } from './message-content.ts'
import { PersonSends } from './person-sends.ts'
import { type OutgoingMessage, relayToChat } from './relay.ts'
import { acceptAnyAck, type RepeatSend, SendAttempts, type ServerAck, StaleLists } from './send-attempts.ts'

interface Deps {
  sock: WASocket
  addressing: RecipientAddressing
  caches: Pick<InstanceCaches, 'audiences' | 'devices'>
  /** As stored. */
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  /** Requests the group from the network, and stores it. */
  refreshGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>>
  chargeKeys: ChargeKeys
  log: Log
}

const MALFORMED = 479
const REPEAT_MS = 30 * SECOND

export class OutgoingMessages {
  readonly #deps: Deps
  readonly #attempts = new SendAttempts()
  readonly #groups: GroupSends
  readonly #people: PersonSends
  #endListener: (acknowledged: boolean) => void = () => undefined

  constructor(deps: Deps) {
    this.#deps = deps
    const { sock, caches, findGroup, refreshGroup, chargeKeys, log } = deps
    const attempts = this.#attempts
    const staleLists = new StaleLists()
    this.#groups = new GroupSends({ sock, attempts, staleLists, findGroup, refreshGroup, chargeKeys, log })
    this.#people = new PersonSends({ sock, attempts, staleLists, devices: caches.devices, log })
  }

  /** As described in `Connection`. */
  async send(
    messageid: string,
    to: string,
    encoded: Uint8Array,
    deadline: AbortSignal,
    audience?: string[],
  ): Promise<NetworkOutcome> {
    const message: OutgoingMessage = { messageid, to: '', message: decodeMessage(encoded), written: false }
    const outcome = await runRequest(this.#deps.sock, deadline, async () => {
      Object.assign(message, await this.#deps.addressing.findAddress(to))
      if (audience) return this.#sendToAudience(message, audience)
      return isGroup(to) ? this.#groups.send(message, deadline) : this.#people.send(message, deadline)
    })
    this.#attempts.endAttempt(message)
    if (message.written) this.#endListener(outcome.kind !== 'unknown')
    if (outcome.kind === 'refused' && outcome.code === MALFORMED)
      this.#deps.log.warn({ messageid, code: MALFORMED }, 'message refused as malformed')
    if (outcome.kind !== 'done') return outcome
    if (outcome.value) this.#scheduleRepeat(messageid, outcome.value)
    return { kind: 'done', value: undefined }
  }

  /** Whether a message was sent whose acknowledgement has not arrived. */
  get isWaiting(): boolean {
    return this.#attempts.areWaiting
  }

  /** Returns whether the ack is final: a repeated message has another one. */
  handleAck(ack: ServerAck): boolean {
    return this.#attempts.handleAck(ack)
  }

  /** The socket is closed: messages without an ack will not get one. */
  failWaiting(): void {
    this.#attempts.failWaiting()
  }

  /** Sets the listener that is called when a written message was acknowledged, or its wait for that has ended. */
  onEnd(listener: (acknowledged: boolean) => void): void {
    this.#endListener = listener
  }

  async #sendToAudience(message: OutgoingMessage, audience: string[]): Promise<NetworkOutcome<undefined>> {
    const { sock, addressing, caches, chargeKeys } = this.#deps
    // The library gives the key to all devices with each post; how many a person has is not known yet.
    const unpaid = refuseUnpaid(chargeKeys(audience.length))
    if (unpaid) return unpaid
    caches.audiences.addViewers(message.messageid, audience)
    const addresses = await Promise.all(audience.map((person) => addressing.findAddress(person)))
    const viewers = addresses.map(({ to }) => to)
    const write = async () => {
      await loadDevices(sock, viewers, 'known')
      return relayToChat(sock, message, { audience: viewers })
    }
    const outcome = await this.#attempts.attemptSend(message, write, acceptAnyAck)
    return outcome.kind === 'done' ? { kind: 'done', value: undefined } : outcome
  }

  #scheduleRepeat(messageid: string, repeat: RepeatSend): void {
    const late = AbortSignal.timeout(REPEAT_MS)
    const work = async (): Promise<NetworkOutcome> => ({ kind: 'done', value: await repeat(late) })
    void runRequest(this.#deps.sock, late, work).then((outcome) => {
      if (outcome.kind === 'done') return
      this.#deps.log.warn({ messageid, error: outcome.message }, 'message not sent again')
    })
  }
}
