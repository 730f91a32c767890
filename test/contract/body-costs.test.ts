// What large bodies cost their token: what it takes to read them is nobody else's to pay.

import { expect, test } from 'vitest'
import { chargeParsing, rejectSpentBodies } from '../../edge/http/body-costs.ts'
import { Fault } from '../../shared/fault-table.ts'

const MIB = 1024 * 1024
const request = { set: () => undefined }

test('a token whose large bodies took the time of a minute has the next refused with the seconds to wait; small ones, and those of others, are read', () => {
  const [busy, other] = ['busy', 'other'].map((id) => ({ kind: 'instance' as const, id, name: '' }))
  let now = 0
  const takeSeconds = (seconds: number) => () => {
    now += seconds * 1000
  }
  chargeParsing(busy, MIB, takeSeconds(14), () => now)
  rejectSpentBodies(request, busy, MIB)
  chargeParsing(busy, MIB, takeSeconds(2), () => now)
  const refuse = () => rejectSpentBodies(request, busy, MIB)
  expect(refuse).toThrowError(Fault)
  expect(refuse).toThrowError(expect.objectContaining({ fault: 'quota_reached' }))
  rejectSpentBodies(request, busy, 1000)
  rejectSpentBodies(request, other, MIB)
})
