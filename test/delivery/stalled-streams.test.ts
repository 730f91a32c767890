// Streams of events that nobody reads: they do not count as open for ever.

import { EventStreams } from '@msgnet/edge/delivery/event-streams.ts'
import { setLogWriter } from '@msgnet/edge/observability/edge-log.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'

const listener = { instanceId: 'one', tokenHash: '', credential: 'root', afterSeq: 0, format: '' } as const
let counts: number[]

beforeEach(() => {
  counts = []
  setLogWriter((line) => counts.push(JSON.parse(line).streams))
})

afterEach(() => setLogWriter(console.log))

const openStreams = (n: number, signal: AbortSignal): void => {
  const streams = new EventStreams({ LOG_LEVEL: 'info' } as never)
  for (let opened = 0; opened < n; opened++) streams.openStream(listener, signal)
}

test('a stream too many ends the oldest, also while its reader takes nothing', () => {
  openStreams(3 * limits.maxConcurrentStreams, new AbortController().signal)
  expect(counts.at(-1)).toBe(limits.maxConcurrentStreams)
})

test('a stream whose reader has left before it is opened is none', () => {
  openStreams(3, AbortSignal.abort())
  expect(counts).toEqual([1, 0, 1, 0, 1, 0])
})
