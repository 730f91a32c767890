// What follows from each way in which a connection can end, as a table.

import { readStreamEnd, toClosing } from '@msgnet/session-host/driver/baileys/connection/closing.ts'
import {
  type AttemptEnding,
  attemptEndings,
  computeBackoffMs,
  computeStoreBackoffMs,
  computeVersionBackoffMs,
  countFailuresAfterLogin,
  type Decision,
  decideNext,
} from '@msgnet/session-host/sessions/reconnect-policy.ts'
import { expect, test } from 'vitest'

const createClosing = (kind: AttemptEnding) => ({ kind, code: 0, message: '' })
const formatVerdict = (verdict: Decision) =>
  verdict.do === 'retry'
    ? `retry ${verdict.reason}`.trim()
    : `end ${verdict.reason}`.trim() + (verdict.forget ? ', forget' : '')

test.each([
  ['restart', 'retry', 'retry'],
  ['logged_out', 'end logged_out, forget', 'retry'],
  ['banned', 'end banned', 'end banned'],
  ['mismatch', 'end bad_session', 'end bad_session'],
  ['outdated', 'retry outdated', 'end outdated, forget'],
  ['pairing_refused', 'retry', 'end, forget'],
  ['replaced', 'end replaced', 'end replaced'],
  ['pairing_expired', 'end pairing_expired, forget', 'end pairing_expired, forget'],
  ['passkey_required', 'end passkey_required, forget', 'end passkey_required, forget'],
  ['bad_session', 'retry', 'retry'],
  ['unreachable', 'retry unreachable', 'end unreachable, forget'],
  ['lost', 'retry', 'retry'],
  ['storage', 'retry bad_session', 'retry'],
  ['store_failed', 'retry bad_session', 'retry bad_session'],
] as const)('%s: a linked device is to "%s", one that is being paired to "%s"', (kind, linked, pairing) => {
  expect(formatVerdict(decideNext(createClosing(kind), { linked: true, failures: 0, alike: 0 }))).toBe(linked)
  expect(formatVerdict(decideNext(createClosing(kind), { linked: false, failures: 0, alike: 0 }))).toBe(
    pairing,
  )
})

test('every kind of ending is in the table, and only a restart reconnects at once', () => {
  const atOnce = attemptEndings.filter((kind) => {
    const verdict = decideNext(createClosing(kind), { linked: true, failures: 0, alike: 0 })
    return verdict.do === 'retry' && verdict.afterMs === 0
  })
  expect(atOnce).toEqual(['restart'])
})

test('a pairing that fails three times in a row ends, and so does a session called bad three times', () => {
  expect(formatVerdict(decideNext(createClosing('lost'), { linked: false, failures: 2, alike: 2 }))).toBe(
    'end unreachable, forget',
  )
  expect(
    formatVerdict(decideNext(createClosing('bad_session'), { linked: true, failures: 2, alike: 2 })),
  ).toBe('end bad_session')
  expect(decideNext(createClosing('lost'), { linked: true, failures: 99, alike: 99 }).do).toBe('retry')
})

test('a session called bad once reconnects, after any number of lost connections', () => {
  expect(decideNext(createClosing('bad_session'), { linked: true, failures: 99, alike: 0 }).do).toBe('retry')
  const restarted = decideNext(createClosing('restart'), { linked: true, failures: 99, alike: 0 })
  expect(restarted).toMatchObject({ do: 'retry', afterMs: 0 })
})

test('a short login makes the next wait seconds, whatever the failures before it', () => {
  expect([0, 2, 99].map(countFailuresAfterLogin)).toEqual([0, 2, 3])
})

test('waits are spread over a limit that doubles from one second to one minute', () => {
  for (const [failures, max] of [
    [0, 1000],
    [1, 2000],
    [3, 8000],
    [6, 60_000],
    [50, 60_000],
  ] as const) {
    const waits = Array.from({ length: 200 }, () => computeBackoffMs(failures))
    expect(Math.max(...waits)).toBeLessThanOrEqual(max)
    expect(Math.max(...waits)).toBeGreaterThan(max / 2)
    expect(Math.min(...waits)).toBeLessThan(max / 4)
  }
})

test('waits for a store are spread over a limit that doubles from one second to four, plus one second', () => {
  for (const [failures, max] of [
    [0, 1000],
    [1, 2000],
    [2, 4000],
    [50, 4000],
  ] as const) {
    const waits = Array.from({ length: 200 }, () => computeStoreBackoffMs(failures) - 1000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(max)
    expect(Math.max(...waits)).toBeGreaterThan(max / 2)
    expect(Math.min(...waits)).toBeLessThan(max / 4)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0)
  }
})

/** What the library makes of it does not count: it calls every end without a code a bad session. */
const classifyNode = (node: Parameters<typeof readStreamEnd>[0]) => {
  const error = Object.assign(new Error('said so'), { output: { statusCode: 500 } })
  const closing = toClosing(error, true, readStreamEnd(node))
  return { closing, what: formatVerdict(decideNext(closing, { linked: true, failures: 0, alike: 0 })) }
}

test.each([
  [401, 'end logged_out, forget'],
  [402, 'end banned'],
  [403, 'end banned'],
  [405, 'retry outdated'],
  [406, 'end banned'],
  [411, 'end bad_session'],
  [440, 'end replaced'],
  [500, 'retry'],
  [503, 'retry'],
  [515, 'retry'],
  [516, 'retry'],
])('code %i said to a linked device: "%s"', (code, what) => {
  for (const node of [
    { tag: 'stream:error', attrs: { code: `${code}` } },
    { tag: 'failure', attrs: { reason: `${code}` } },
  ]) {
    const found = classifyNode(node)
    expect(found.what).toBe(what)
    expect(found.closing).toMatchObject({ code, networkWords: `${node.tag} ${code}` })
  }
})

test.each([
  ['<ack/>', 'ack', { class: 'receipt', type: 'read' }, 'lost', 0],
  ['<xml-not-well-formed/>', 'xml-not-well-formed', {}, 'lost', 0],
  ['an unknown child', 'news', {}, 'lost', 0],
  ['no child', '', {}, 'lost', 0],
  ['<conflict/> without a type', 'conflict', {}, 'lost', 0],
  ['<conflict type="replaced"/>', 'conflict', { type: 'replaced' }, 'replaced', 440],
  ['<conflict type="device_removed"/>', 'conflict', { type: 'device_removed' }, 'logged_out', 401],
])('a stream error without a code and with %s is judged by that', (_, tag, attrs, kind, code) => {
  const { closing } = classifyNode({ tag: 'stream:error', attrs: {}, content: tag ? [{ tag, attrs }] : [] })
  expect(closing).toMatchObject({ kind, code, networkWords: `stream:error ${tag}`.trim() })
})

test('a refused login without a reason, and any end without one, is a lost connection', () => {
  expect(classifyNode({ tag: 'failure', attrs: {} }).closing).toMatchObject({
    kind: 'lost',
    networkWords: 'failure',
  })
  const createError = (statusCode: number) =>
    Object.assign(new Error('Connection Terminated'), { output: { statusCode } })
  for (const code of [0, 401, 408, 428, 500, 503])
    expect(toClosing(createError(code), true)).toMatchObject({ kind: 'lost', code })
  expect(toClosing(createError(411), true).kind).toBe('mismatch')
  expect(toClosing(createError(428), false).kind).toBe('unreachable')
})

test('an outdated version is tried again after a quarter of an hour, and then every hour', () => {
  for (const [failures, min] of [
    [0, 15],
    [1, 60],
    [50, 60],
  ] as const) {
    const waits = Array.from({ length: 100 }, () => computeVersionBackoffMs(failures) / 60_000)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(min)
    expect(Math.max(...waits)).toBeLessThanOrEqual(min + 1)
  }
})
