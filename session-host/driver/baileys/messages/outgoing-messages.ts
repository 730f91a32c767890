// Sends messages to people, to groups and as status posts, until the network has acknowledged them.

import type { WASocket } from 'baileys'
import { SECOND } from '../../../../shared/date-time.ts'
import { isGroup } from '../../../../shared/jid.ts'
import type { Log } from '../../../host-log.ts'
import type { Connection, NetworkGroup, NetworkOutcome } from '../../driver.ts'
import type { InstanceCaches } from '../connection/lasting-caches.ts'
import { runRequest } from '../connection/network-query.ts'
import type { Addressing } from '../recipient-addressing.ts'
import { createGroupSend } from './group-sends.ts'
import { decodeMessage } from './message-content.ts'
import { createPersonSend } from './person-sends.ts'
import { type OutgoingMessage, relayToChat } from './relay.ts'
import {
  acceptAnyAck,
  createAttempts,
  createStaleLists,
  type RepeatSend,
  type ServerAck,
} from './send-attempts.ts'

export interface Outgoing {
  send: Connection['send']
  /** Handles an ack. Answers whether it counts: a repeated message has another one. */
  handleAck(ack: ServerAck): boolean
  /** The socket is closed: messages without an ack will not get one. */
  failWaiting(): void
  /** Sets the listener that is called when a written message was acknowledged, or its wait for that has ended. */
  onEnd(listener: (answered: boolean) => void): void
}

interface Deps {
  sock: WASocket
  addressing: Addressing
  caches: Pick<InstanceCaches, 'audiences' | 'devices'>
  /** As stored. */
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  /** Requests the group from the network, and stores it. */
  refreshGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>>
  log: Log
}

const MALFORMED = 479
const REPEAT_MS = 30 * SECOND

export function createOutgoing({ sock, addressing, caches, findGroup, refreshGroup, log }: Deps): Outgoing {
  const attempts = createAttempts()
  const staleLists = createStaleLists()
  const sendToGroup = createGroupSend({ sock, attempts, staleLists, findGroup, refreshGroup, log })
  const sendToPerson = createPersonSend({ sock, attempts, staleLists, devices: caches.devices, log })
  let endListener: (answered: boolean) => void = () => undefined

  async function sendToAudience(
    sending: OutgoingMessage,
    audience: string[],
  ): Promise<NetworkOutcome<undefined>> {
    caches.audiences.addViewers(sending.messageid, audience)
    const viewers = (await Promise.all(audience.map(addressing.findAddress))).map(({ to }) => to)
    const outcome = await attempts.attemptSend(
      sending,
      () => relayToChat(sock, sending, { audience: viewers }),
      acceptAnyAck,
    )
    return outcome.kind === 'done' ? { kind: 'done', value: undefined } : outcome
  }

  function scheduleRepeat(messageid: string, repeat: RepeatSend): void {
    const late = AbortSignal.timeout(REPEAT_MS)
    const work = async (): Promise<NetworkOutcome> => ({ kind: 'done', value: await repeat(late) })
    void runRequest(work, late).then((outcome) => {
      if (outcome.kind !== 'done')
        log.warn({ messageid, error: outcome.message }, 'a message was not sent once more')
    })
  }

  return {
    async send(messageid, to, encoded, deadline, audience) {
      const sending: OutgoingMessage = { messageid, to: '', message: decodeMessage(encoded), written: false }
      const outcome = await runRequest(async () => {
        Object.assign(sending, await addressing.findAddress(to))
        if (audience) return sendToAudience(sending, audience)
        return isGroup(to) ? sendToGroup(sending, deadline) : sendToPerson(sending, deadline)
      }, deadline)
      attempts.endAttempt(sending)
      if (sending.written) endListener(outcome.kind !== 'unknown')
      if (outcome.kind === 'refused' && outcome.code === MALFORMED)
        log.warn({ messageid, code: MALFORMED }, 'the network calls the message malformed')
      if (outcome.kind !== 'done') return outcome
      if (outcome.value) scheduleRepeat(messageid, outcome.value)
      return { kind: 'done', value: undefined }
    },
    handleAck: attempts.handleAck,
    onEnd(listener) {
      endListener = listener
    },
    failWaiting: attempts.failWaiting,
  }
}
