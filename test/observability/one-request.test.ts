// One request can be followed: its id, and its caller's trace, stand in the log of the edge and in that of the host.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const scene = await borrowScene()
const friend = await createPhone(scene.world)

interface Line {
  requestId?: string
  trace?: string
  [fact: string]: unknown
}

/** The line of each part about a request; attempts to deliver its events have lines of their own. */
const MARKS = { edge: { msg: 'request' }, host: { msg: 'act' } }

/** The lines of a part about a request, once there is one. A line that is no JSON is the runtime's. */
const waitForLines = (part: 'edge' | 'host', requestId: string): Promise<Line[]> =>
  until(() => {
    const whole = readFileSync(join(scene.world.dataDir, 'logs', `${part}.log`), 'utf8')
    const lines: Line[] = whole
      .slice(0, whole.lastIndexOf('\n'))
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    const [[kind, name]] = Object.entries(MARKS[part]) as [[string, string]]
    const own = lines.filter((line) => line.requestId === requestId && line[kind] === name)
    return own.length > 0 && own
  })

async function sendText(requestId: string, traceparent?: string) {
  const headers = { 'x-request-id': requestId, ...(traceparent !== undefined && { traceparent }) }
  const sent = await scene.device.caller.post('/send/text', { number: friend, text: requestId }, headers)
  expect(sent.status).toBe(200)
  const [edge, host] = [await waitForLines('edge', requestId), await waitForLines('host', requestId)]
  return { edge, host }
}

const ID = '4bf92f3577b34da6a3ce929d0e0e4736'

test("a request's id and its caller's trace are in the logs of edge and host", async () => {
  const { edge, host } = await sendText('order-of-one-request', `00-${ID}-00f067aa0ba902b7-01`)
  expect(edge).toMatchObject([{ msg: 'request', path: '/send/text', status: 200, trace: ID }])
  expect(host).toMatchObject([
    { msg: 'act', action: 'message.sendText', outcome: 'done', instance: scene.device.id, trace: ID },
  ])
})

test.each([
  ['none', undefined],
  ['no traceparent at all', 'somebody'],
  ['a version that is invalid', `ff-${ID}-00f067aa0ba902b7-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['a parent of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${ID.toUpperCase()}-00f067aa0ba902b7-01`],
  ['more than version 00 has', `00-${ID}-00f067aa0ba902b7-01-more`],
])('in place of %s a trace begins at the edge', async (what, traceparent) => {
  const { edge, host } = await sendText(`with-${what.replaceAll(' ', '-')}`, traceparent)
  const [trace] = edge.map((line) => line.trace)
  expect(trace).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
  expect(trace).not.toBe(ID)
  expect(host.map((line) => line.trace)).toEqual([trace])
})

test('the known part of a later version is read', async () => {
  const { edge } = await sendText('later', `01-${ID}-00f067aa0ba902b7-01-more`)
  expect(edge).toMatchObject([{ trace: ID }])
})
