// Numbers of the network that are none: a refusal is a refusal all the same, the link takes it, and nothing becomes NaN.

import { refuseByCode } from '@msgnet/session-host/actions/action.ts'
import { rejectCall } from '@msgnet/session-host/driver/baileys/call-signaling.ts'
import { readMemberErrors } from '@msgnet/session-host/driver/baileys/groups/group-conversion.ts'
import { describeEvent } from '@msgnet/session-host/driver/baileys/messages/kinds/event-kinds.ts'
import { parseCount } from '@msgnet/session-host/driver/baileys/network-numbers.ts'
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

test('a person who could not be added for a reason that is no number has an error that is one', () => {
  const attrs = { jid: '5511911111111@s.whatsapp.net', error: 'not-authorized' }
  const node = { tag: 'add', attrs: {}, content: [{ tag: 'participant', attrs }] }
  expect([...readMemberErrors(node)]).toEqual([['5511911111111@s.msgnet.net', 500]])
})

test('what counts and is no number is 0, and a place of no number too', () => {
  const counts = ['7', 7, '', undefined, 'many', '1e3', Number.NaN].map(parseCount)
  expect(counts).toEqual([7, 7, 0, 0, 0, 0, 0])
  const location = { degreesLatitude: Number.NaN, degreesLongitude: Number.POSITIVE_INFINITY }
  expect(describeEvent({ location })).toMatchObject({ location: { latitude: 0, longitude: 0 } })
})
