// What large bodies cost their token: what it takes to read them is nobody else's to pay.

import { chargeParsing, createReadingCharge, rejectSpentBodies } from '@msgnet/edge/http/body-costs.ts'
import { readBounded } from '@msgnet/edge/http/read-body-bytes.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { afterEach, expect, test, vi } from 'vitest'

const MIB = 1024 * 1024
const request = { set: () => undefined }

afterEach(() => {
  vi.restoreAllMocks()
})

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

test('a token pays for the bytes of large bodies while they are read, also of those without a length, and the one past its minute is refused before its end', async () => {
  const [busy, other] = ['reader', 'neighbour'].map((id) => ({ kind: 'instance' as const, id, name: '' }))
  // A slow machine would earn more of its minute than it reads.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  const piece = new Uint8Array(MIB)
  let given = 0
  const readEndless = (caller = busy, maxBytes = 12 * MIB) =>
    readBounded(
      new ReadableStream({
        pull(controller) {
          given += 1
          controller.enqueue(piece)
        },
      }),
      {
        maxBytes,
        length: 0,
        before: new Uint8Array(),
        reserveBytes: () => undefined,
        onRead: createReadingCharge(request, caller),
      },
    )
  const statuses: string[] = []
  while (statuses.at(-1) !== 'quota_reached' && statuses.length < 100)
    await readEndless().catch(({ fault }: Fault) => statuses.push(fault))
  expect(statuses.length).toBeLessThan(60)
  expect(given).toBeLessThan(700)
  expect(() => rejectSpentBodies(request, busy, MIB)).toThrowError(
    expect.objectContaining({ fault: 'quota_reached' }),
  )
  rejectSpentBodies(request, other, MIB)
  await expect(readEndless(other)).rejects.toMatchObject({ fault: 'body_too_large' })
  const readSmall = createReadingCharge(request, busy)
  for (let n = 0; n < 64; n++) readSmall(1024)
})
