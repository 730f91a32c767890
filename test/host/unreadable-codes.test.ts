// A refusal of the network whose code is no number: it is a refusal all the same, and the link takes it.

import { refuseByCode } from '@msgnet/session-host/actions/action.ts'
import { rejectCall } from '@msgnet/session-host/driver/baileys/call-signaling.ts'
import { parseHostFrames } from '@msgnet/shared/wire/link-frames.ts'
import { expect, test } from 'vitest'

test('the outcome of a refusal whose code is no number passes the link, without a code', () => {
  const id = crypto.randomUUID()
  const frame = { t: 'outcome', id, instance: id, outcome: refuseByCode(Number('not-allowed')) }
  const [received] = parseHostFrames(JSON.stringify([frame])) ?? []
  expect(received).toMatchObject({ t: 'outcome', outcome: { kind: 'refused', fault: 'operation_refused' } })
  expect(received).not.toHaveProperty('outcome.providerCode')
})

test('a call whose rejection the network refuses without a number is not rejected', async () => {
  const answerWith = (attrs: Record<string, string>) => {
    const sock = {
      authState: { creds: { me: { id: '5511900000000@s.whatsapp.net' } } },
      generateMessageTag: () => '1',
      query: async () => ({ tag: 'ack', attrs }),
      ws: { emit: () => undefined, isOpen: true },
    } as unknown as Parameters<typeof rejectCall>[0]
    const to = { to: '5511911111111@s.whatsapp.net' } as Parameters<typeof rejectCall>[2]
    return rejectCall(sock, 'CALL', to, AbortSignal.timeout(5000))
  }
  expect(await answerWith({})).toMatchObject({ kind: 'done' })
  expect(await answerWith({ error: '404' })).toMatchObject({ kind: 'refused', code: 404 })
  expect(await answerWith({ error: 'not-allowed' })).toMatchObject({ kind: 'refused' })
})
