// The metrics of a working gateway; dashboard and alerts query only metrics that exist.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { beforeAll, expect, test } from 'vitest'
import { createPhone, linkDevice } from '../device.ts'
import { startScene } from '../scene.ts'
import { until } from '../until.ts'
import { findMetricNames, readRules } from './alert-rules.ts'
import { recordBackup } from './outages/outage.ts'

// Here and not in a hook: a failure after the last test would not be reported there.
const scene = await startScene()
let edge = ''
let host = ''

const readMetrics = async () => {
  const { edgeMetricsUrl, metricsUrl } = scene.world.run
  edge = await (await fetch(`${edgeMetricsUrl}/metrics`)).text()
  host = await (await fetch(`${metricsUrl}/metrics`)).text()
}

const findValue = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  )

beforeAll(async () => {
  const { world, device } = scene
  const friend = await createPhone(world)
  await device.caller.post('/send/text', { number: friend, text: 'out' })
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'in' })
  await scene.waitForEvent('messages', ({ message }) => message.text === 'in')
  await readMetrics()
})

test('requests, database calls and deliveries are timed', () => {
  const sent = 'http_request_method="POST",http_response_status_code="200"'
  expect(findValue(edge, `http_server_request_duration_seconds_count{${sent}}`)).toBeGreaterThan(2)
  for (const operation of ['read', 'write'])
    expect(
      findValue(edge, `db_client_operation_duration_seconds_count{db_operation_name="${operation}"}`),
    ).toBeGreaterThan(10)
  expect(findValue(edge, 'edge_database_commit_duration_seconds_count')).toBeGreaterThan(10)
  expect(findValue(edge, 'edge_delivery_duration_seconds_count{result="delivered"}')).toBeGreaterThan(2)
  const whole = findValue(edge, `http_server_request_duration_seconds_bucket{${sent},le="+Inf"}`)
  expect(whole).toBe(findValue(edge, `http_server_request_duration_seconds_count{${sent}}`))
})

test('actions are timed, and the host shows when it last received a frame', () => {
  expect(
    findValue(host, 'host_action_duration_seconds_count{action="message.sendText",outcome="done"}'),
  ).toBe(1)
  expect(findValue(host, 'host_edge_heard_age_seconds')).toBeLessThan(30)
  expect(findValue(host, 'host_outbox_age_seconds')).toBeGreaterThanOrEqual(0)
  expect(findValue(host, 'host_store_commit_seconds_total')).toBeGreaterThan(0)
  expect(findValue(host, 'host_sessions{state="connected"}')).toBe(1)
})

test('hosts, instances and webhooks are counted by their state', () => {
  expect(edge).toMatch(/^edge_host_live\{host="[\w-]{36}",region="local"\} 1$/m)
  expect(findValue(edge, 'edge_instances{state="connected",reason=""}')).toBe(1)
  for (const reason of ['logged_out', 'banned', 'replaced', 'bad_session'])
    expect([reason, findValue(edge, `edge_instances_lost{reason="${reason}"}`)]).toEqual([reason, 0])
  expect(findValue(edge, 'edge_webhooks{state="active"}')).toBe(1)
  for (const operation of ['read', 'write'])
    expect(findValue(edge, `edge_database_failing_seconds{operation="${operation}"}`)).toBe(0)
  expect(findValue(edge, 'edge_database_failures_total{operation="write",kind="full"}')).toBe(0)
})

test('both sides show the space on their disk, and that there was no backup yet', async () => {
  expect(findValue(edge, 'edge_disk_free_bytes')).toBeGreaterThan(0)
  expect(findValue(edge, 'edge_disk_size_bytes')).toBeGreaterThanOrEqual(
    findValue(edge, 'edge_disk_free_bytes'),
  )
  expect(findValue(host, 'host_disk_free_bytes')).toBeGreaterThan(0)
  expect(findValue(host, 'host_disk_size_bytes')).toBeGreaterThan(findValue(host, 'host_disk_free_bytes'))
  expect(findValue(edge, 'edge_last_backup_timestamp_seconds')).toBe(0)
  expect(findValue(host, 'host_last_backup_timestamp_seconds')).toBe(0)
})

test('a recorded backup is shown with its time', async () => {
  const at = new Date('2026-11-22T03:00:00Z')
  recordBackup(scene.world.dataDir, at.getTime())
  await readMetrics()
  expect(findValue(edge, 'edge_last_backup_timestamp_seconds')).toBe(at.getTime() / 1000)
  expect(findValue(host, 'host_last_backup_timestamp_seconds')).toBe(at.getTime() / 1000)
})

test('the edge shows its processor time, and that the first tick is done', async () => {
  const before = findValue(edge, 'edge_cpu_seconds_total')
  await until(async () => {
    await readMetrics()
    return findValue(edge, 'edge_cpu_seconds_total') > before
  })
  expect(findValue(edge, 'edge_ticks_total{result="done"}')).toBeGreaterThan(0)
})

test.runIf(process.platform === 'linux')('the edge shows its memory and its descriptors', async () => {
  const pid = scene.world.findPid('edge')
  await readMetrics()
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const share = findValue(edge, 'edge_resident_memory_bytes') / (Number(kib) * 1024)
  expect(share).toBeGreaterThan(0.7)
  expect(share).toBeLessThan(1.4)
  expect(findValue(edge, 'edge_open_descriptors')).toBeGreaterThan(10)
  expect(findValue(edge, 'edge_descriptors_limit')).toBeGreaterThan(findValue(edge, 'edge_open_descriptors'))
})

test('an edge that was blocked shows for how long, at the next scrape and for half a minute', async () => {
  const pid = scene.world.findPid('edge')
  const countDelays = () => findValue(edge, 'edge_event_loop_delay_seconds_bucket{le="+Inf"}')
  const countShortDelays = () => findValue(edge, 'edge_event_loop_delay_seconds_bucket{le="1"}')
  const long = countDelays() - countShortDelays()
  const began = performance.now()
  process.kill(pid, 'SIGSTOP')
  await until(() => performance.now() - began > 1500)
  process.kill(pid, 'SIGCONT')
  await readMetrics()
  expect(findValue(edge, 'edge_slowest_probe_seconds')).toBeGreaterThan(1)
  expect(countDelays() - countShortDelays()).toBe(long + 1)
})

test('the time since the edge acknowledged events grows, and restarts with the next acknowledgement', async () => {
  const { world, device } = scene
  const readAge = async () => {
    await readMetrics()
    return findValue(host, 'host_last_ack_age_seconds')
  }
  await until(async () => (await readAge()) > 1)
  const began = Date.now()
  const before = began - (await readAge()) * 1000
  const friend = await createPhone(world)
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'acknowledged' })
  await until(async () => Date.now() - (await readAge()) * 1000 > before + 500)
})

test('waiting events are counted, with their age, by kind of instance', async () => {
  const { world, device, receiver } = scene
  receiver.status = 500
  const friend = await createPhone(world)
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'waits' })
  await until(async () => {
    await readMetrics()
    return findValue(edge, 'edge_delivery_queue_depth{instance_kind="msgnet"}') > 0
  })
  await until(async () => {
    await readMetrics()
    return findValue(edge, 'edge_delivery_queue_age_seconds{instance_kind="msgnet"}') > 0
  })
  expect(findValue(edge, 'edge_delivery_duration_seconds_count{result="failed"}')).toBeGreaterThan(0)
})

test('a connection that the network ends is counted as a reconnect, by its reason', async () => {
  await scene.causeFault('close')
  await until(async () => {
    await readMetrics()
    return findValue(host, 'host_session_reconnects_total{reason="lost"}') === 1
  })
})

const readDeployFile = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8')
const isExported = (name: string) =>
  [edge, host].some((text) => text.includes(`# TYPE ${name.replace(/_(bucket|sum|count)$/, '')} `)) ||
  [edge, host].some((text) => text.includes(`# TYPE ${name} `))

test('the dashboard queries only metrics that exist', () => {
  const board = JSON.parse(readDeployFile('grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[]
  }
  const queried = findMetricNames(
    board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n'),
  )
  expect(queried.length).toBeGreaterThan(12)
  expect(queried.filter((name) => !isExported(name))).toEqual([])
})

test('every alert queries only metrics that exist', () => {
  const queried = findMetricNames(
    readRules()
      .map(({ expr }) => expr)
      .join('\n'),
  )
  expect(queried.length).toBeGreaterThan(15)
  expect(queried.filter((name) => !isExported(name))).toEqual([])
})

test('a webhook that stopped after a 410 is counted as gone, with the age of its waiting events', async () => {
  const { world, device, receiver } = scene
  receiver.status = 410
  const friend = await createPhone(world)
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'rests' })
  await until(async () => {
    await readMetrics()
    return findValue(edge, 'edge_webhooks{state="gone"}') === 1
  })
  expect(findValue(edge, 'edge_webhooks{state="active"}')).toBe(0)
  expect(findValue(edge, 'edge_webhook_oldest_waiting_seconds{state="gone"}')).toBeGreaterThan(0)
  expect(findValue(edge, 'edge_webhook_oldest_waiting_seconds{state="active"}')).toBe(0)
})

test('a device that its phone logs out is counted by its reason, until it is linked again', async () => {
  const { world, device } = scene
  await world.sim('POST', `/phones/${device.number}/unlink`, {})
  await until(async () => {
    await readMetrics()
    return findValue(edge, 'edge_instances_lost{reason="logged_out"}') === 1
  })
  expect(findValue(edge, 'edge_instances{state="disconnected",reason="logged_out"}')).toBe(1)
  expect(findValue(edge, 'edge_instances_lost{reason="banned"}')).toBe(0)
  await linkDevice(world, device)
  await until(async () => {
    await readMetrics()
    return findValue(edge, 'edge_instances_lost{reason="logged_out"}') === 0
  })
})
