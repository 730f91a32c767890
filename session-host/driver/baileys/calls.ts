// Calls: reports their states and rejects them, the only action that a device without audio has.

import type { BinaryNode, WACallEvent, WASocket } from 'baileys'
import { SECOND } from '../../../shared/clock.ts'
import { isLid } from '../../../shared/jid.ts'
import { boundedId } from '../../message-names.ts'
import type { Answer, NetworkCall } from '../driver.ts'
import type { Address } from './addressing.ts'
import { answered } from './connection/ask.ts'
import { inward, person } from './ids.ts'
import { toMilliseconds } from './network-times.ts'

const states = ['offer', 'ringing', 'accept', 'reject', 'timeout', 'terminate'] as const
const stateOf = (status: WACallEvent['status']) => states.find((state) => state === status)

export function adaptCalls(sock: WASocket, report: (call: NetworkCall) => void): void {
  sock.ev.on('call', (calls) => {
    for (const call of calls) {
      const state = stateOf(call.status)
      // Other states set up the audio between two devices and are not reported.
      if (!state) continue
      report({
        callid: boundedId(call.id),
        creator: person(call.from, call.callerPn),
        group: inward(call.groupJid),
        isVideo: call.isVideo === true,
        isGroup: call.isGroup === true,
        state,
        at: toMilliseconds(call.date.getTime() / SECOND),
      })
    }
  })
}

export function rejectCall(
  sock: WASocket,
  callid: string,
  { to }: Address,
  deadline: AbortSignal,
): Promise<Answer> {
  const reject: BinaryNode = { tag: 'reject', attrs: { 'call-id': callid, 'call-creator': to, count: '0' } }
  const { me } = sock.authState.creds
  const from = (isLid(to) ? me?.lid : me?.id) ?? ''
  const attrs = { id: sock.generateMessageTag(), from, to }
  return answered(async () => {
    const answer: BinaryNode | undefined = await sock.query({ tag: 'call', attrs, content: [reject] })
    if (!answer) return { kind: 'silent', message: 'no answer' }
    // A refusal is an attribute here, which the library does not look at.
    const code = Number(answer.attrs.error ?? 0)
    return code ? { kind: 'refused', code } : { kind: 'done', value: undefined }
  }, deadline)
}
