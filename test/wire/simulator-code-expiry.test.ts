// How long a pairing code is valid.

import { CodePairings } from '@msgnet/simulator/network/code-pairings.ts'
import type { Connection } from '@msgnet/simulator/network/connections.ts'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => void vi.useRealTimers())

test('a pairing code is valid for three minutes, and the newest is tried first', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const pairings = new CodePairings()
  const older = pairings.startPairing({} as Connection, '491700000071', Buffer.alloc(80))
  vi.advanceTimersByTime(120_000)
  const newer = pairings.startPairing({} as Connection, '491700000071', Buffer.alloc(80))
  expect(pairings.listWaiting('491700000071')).toEqual([newer, older])
  vi.advanceTimersByTime(60_000)
  expect(pairings.listWaiting('491700000071')).toEqual([newer])
  expect(pairings.findPairing(older.connection, older.reference)).toBeUndefined()
  vi.advanceTimersByTime(120_000)
  expect(pairings.listWaiting('491700000071')).toEqual([])
})
