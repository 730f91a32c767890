// What the metrics tell while a gateway works, and that dashboard and alerts ask only for what is told.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../local/build/bundle.ts'
import { makePhone } from '../device.ts'
import { setScene } from '../scene.ts'
import { until } from '../until.ts'

// Here and not in a hook: what it ends after the last test would not be heard of there.
const scene = await setScene()
let edge = ''
let host = ''

const read = async () => {
  const { edgeMetricsUrl, metricsUrl } = scene.world.run
  edge = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  host = await (await fetch(`${metricsUrl}/metrics`)).text()
}

const reading = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  )

beforeAll(async () => {
  const { world, device } = scene
  const friend = await makePhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'out' })
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'in' })
  await scene.told('messages', ({ message }) => message.text === 'in')
  await read()
})

test('requests, database calls and deliveries are timed', () => {
  const sent = 'http_request_method="POST",http_response_status_code="200"'
  expect(reading(edge, `http_server_request_duration_seconds_count{${sent}}`)).toBeGreaterThan(2)
  expect(
    reading(edge, 'db_client_operation_duration_seconds_count{http_response_status_code="200"}'),
  ).toBeGreaterThan(10)
  expect(reading(edge, 'edge_delivery_duration_seconds_count{result="delivered"}')).toBeGreaterThan(2)
  const whole = reading(edge, `http_server_request_duration_seconds_bucket{${sent},le="+Inf"}`)
  expect(whole).toBe(reading(edge, `http_server_request_duration_seconds_count{${sent}}`))
})

test('actions are timed, and the host says when the edge was last heard', () => {
  expect(reading(host, 'host_action_duration_seconds_count{action="message.sendText",outcome="done"}')).toBe(
    1,
  )
  expect(reading(host, 'host_edge_heard_age_seconds')).toBeLessThan(30)
  expect(reading(host, 'host_outbox_age_seconds')).toBeGreaterThanOrEqual(0)
  expect(reading(host, 'host_store_commit_seconds_total')).toBeGreaterThan(0)
  expect(reading(host, 'host_sessions{state="connected"}')).toBe(1)
})

test.runIf(process.platform === 'linux')("the edge's memory is told by its supervisor", async () => {
  await until(async () => {
    await read()
    return reading(edge, 'edge_resident_memory_bytes') > 10_000_000
  })
})

test('the time since the edge acknowledged events grows, and begins again with the next one', async () => {
  const { world, device } = scene
  const age = async () => {
    await read()
    return reading(host, 'host_last_ack_age_seconds')
  }
  await until(async () => (await age()) > 1)
  const asked = Date.now()
  const before = asked - (await age()) * 1000
  const friend = await makePhone(world)
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'acknowledged' })
  await until(async () => Date.now() - (await age()) * 1000 > before + 500)
})

test('what waits for a receiver is counted and grows old by kind of instance', async () => {
  const { world, device, receiver } = scene
  receiver.answer = 500
  const friend = await makePhone(world)
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'waits' })
  await until(async () => {
    await read()
    return reading(edge, 'edge_delivery_queue_depth{instance_kind="msgnet"}') > 0
  })
  await until(async () => {
    await read()
    return reading(edge, 'edge_delivery_queue_age_seconds{instance_kind="msgnet"}') > 0
  })
  expect(reading(edge, 'edge_delivery_duration_seconds_count{result="failed"}')).toBeGreaterThan(0)
})

test('a connection that the network ends is counted as a reconnect, by why it ended', async () => {
  await scene.fault('close')
  await until(async () => {
    await read()
    return reading(host, 'host_session_reconnects_total{reason="lost"}') === 1
  })
})

const inDeploy = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')
const METRIC = /\b((?:edge|host|http|db|nodejs|process)_[a-z0-9_]+)/g
/** Without the names of labels. */
const named = (text: string) => {
  const metrics = text.replace(/\{[^}]*\}|by \([^)]*\)/g, '')
  return [...new Set([...metrics.matchAll(METRIC)].map(([, name = '']) => name))]
}
const told = (name: string) =>
  [edge, host].some((text) => text.includes(`# TYPE ${name.replace(/_(bucket|sum|count)$/, '')} `)) ||
  [edge, host].some((text) => text.includes(`# TYPE ${name} `))

test('the dashboard asks for nothing that is not told', () => {
  const board = JSON.parse(inDeploy('grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[]
  }
  const asked = named(board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n'))
  expect(asked.length).toBeGreaterThan(12)
  expect(asked.filter((name) => !told(name))).toEqual([])
})

test('no alert asks for what is not told, and each has its line in the run book', () => {
  const alerts = inDeploy('alerts.yaml')
  const asked = named([...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr).join('\n'))
  expect(asked.length).toBeGreaterThan(6)
  expect(asked.filter((name) => !told(name))).toEqual([])
  const names = [...alerts.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)
  const page = readFileSync(join(projectRoot, 'docs', 'alerts.md'), 'utf8')
  const lines = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
  expect(lines.sort()).toEqual(names.sort())
})
