// Calls: reports their states and rejects them, the only action that a device without audio has.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { isLid } from '@msgnet/shared/jid.ts'
import type { BinaryNode, WACallEvent, WASocket } from 'baileys'
import type { NetworkCall, NetworkOutcome } from '../driver.ts'
import { truncateId } from '../message-names.ts'
import { announceEffectFrame } from './connection/effect-frames.ts'
import { runRequest } from './connection/network-query.ts'
import { toGatewayJid, toPerson } from './ids.ts'
import { toMilliseconds } from './network-times.ts'
import type { Address } from './recipient-addressing.ts'

const states = ['offer', 'ringing', 'accept', 'reject', 'timeout', 'terminate'] as const
const toCallState = (status: WACallEvent['status']) => states.find((state) => state === status)

export function adaptCalls(sock: WASocket, report: (call: NetworkCall) => void): void {
  sock.ev.on('call', (calls) => {
    for (const call of calls) {
      const state = toCallState(call.status)
      // Other states set up the audio between two devices and are not reported.
      if (!state) continue
      report({
        callid: truncateId(call.id),
        creator: toPerson(call.from, call.callerPn),
        group: toGatewayJid(call.groupJid),
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
): Promise<NetworkOutcome> {
  const reject: BinaryNode = { tag: 'reject', attrs: { 'call-id': callid, 'call-creator': to, count: '0' } }
  const { me } = sock.authState.creds
  const from = (isLid(to) ? me?.lid : me?.id) ?? ''
  const attrs = { id: sock.generateMessageTag(), from, to }
  return runRequest(sock, deadline, async () => {
    announceEffectFrame(sock)
    const response: BinaryNode | undefined = await sock.query({ tag: 'call', attrs, content: [reject] })
    if (!response) return { kind: 'unknown', message: 'no response' }
    // A refusal is an attribute here, which the library does not look at.
    const { error = '0' } = response.attrs
    return error === '0' ? { kind: 'done', value: undefined } : { kind: 'refused', code: Number(error) }
  })
}
