// Sends messages to people, to groups and as status posts, until the network has acknowledged them.

import type { WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import { isGroup } from '../../../../shared/jid.ts'
import type { Log } from '../../../log.ts'
import type { Answer, Connection, NetworkGroup } from '../../driver.ts'
import type { Addressing } from '../addressing.ts'
import { answered } from '../connection/ask.ts'
import type { InstanceCaches } from '../connection/lasting-caches.ts'
import { always, makeAttempts, makeDisputes, type Repeat, type ServerAck } from './attempts.ts'
import { decodeMessage } from './content.ts'
import { makeGroupSend } from './group-sends.ts'
import { makePersonSend } from './person-sends.ts'
import { relay, type Sending } from './relay.ts'

export interface Outgoing {
  send: Connection['send']
  /** Handles an ack. Answers whether it counts: a repeated message has another one. */
  acknowledged(ack: ServerAck): boolean
  /** The socket is closed: messages without an ack will not get one. */
  lost(): void
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
  renewGroup(jid: string, deadline: AbortSignal): Promise<Answer<NetworkGroup>>
  log: Log
}

const MALFORMED = 479
const REPEATED_MS = 30 * SECOND

export function makeOutgoing({ sock, addressing, caches, findGroup, renewGroup, log }: Deps): Outgoing {
  const attempts = makeAttempts()
  const disputes = makeDisputes()
  const toGroup = makeGroupSend({ sock, attempts, disputes, findGroup, renewGroup, log })
  const toPerson = makePersonSend({ sock, attempts, disputes, devices: caches.devices, log })
  let ended: (answered: boolean) => void = () => undefined

  async function toAudience(sending: Sending, audience: string[]): Promise<Answer<undefined>> {
    caches.audiences.keep(sending.messageid, audience)
    const viewers = (await Promise.all(audience.map(addressing.find))).map(({ to }) => to)
    const answer = await attempts.begin(sending, () => relay(sock, sending, { audience: viewers }), always)
    return answer.kind === 'done' ? { kind: 'done', value: undefined } : answer
  }

  function repeatLater(messageid: string, repeat: Repeat): void {
    const late = AbortSignal.timeout(REPEATED_MS)
    const work = async (): Promise<Answer> => ({ kind: 'done', value: await repeat(late) })
    void answered(work, late).then((answer) => {
      if (answer.kind !== 'done')
        log.warn({ messageid, error: answer.message }, 'a message was not sent once more')
    })
  }

  return {
    async send(messageid, to, encoded, deadline, audience) {
      const sending: Sending = { messageid, to: '', message: decodeMessage(encoded), written: false }
      const answer = await answered(async () => {
        Object.assign(sending, await addressing.find(to))
        if (audience) return toAudience(sending, audience)
        return isGroup(to) ? toGroup(sending, deadline) : toPerson(sending, deadline)
      }, deadline)
      attempts.end(sending)
      if (sending.written) ended(answer.kind !== 'silent')
      if (answer.kind === 'refused' && answer.code === MALFORMED)
        log.warn({ messageid, code: MALFORMED }, 'the network calls the message malformed')
      if (answer.kind !== 'done') return answer
      if (answer.value) repeatLater(messageid, answer.value)
      return { kind: 'done', value: undefined }
    },
    acknowledged: attempts.acknowledged,
    onEnd(listener) {
      ended = listener
    },
    lost: attempts.lost,
  }
}
