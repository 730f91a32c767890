// The metrics of a host when one of them cannot be read.

import { listenForMetrics, Metrics } from '@msgnet/session-host/metrics/host-metrics.ts'
import { pino } from 'pino'
import { Gauge } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'

test('a metric that fails is a 500 with a line in the log, and health still answers', async () => {
  const lines: string[] = []
  const log = pino(
    { serializers: { error: (error: Error) => error.message } },
    { write: (line: string) => lines.push(line) },
  )
  const metrics = new Metrics()
  new Gauge({
    name: 'broken',
    help: 'Throws.',
    registers: [metrics.registry],
    collect() {
      throw new Error('no reading')
    },
  })
  const health = () => ({ status: 'live' as const, linked: true, leased: true, sessions: 0 })
  const listener = await listenForMetrics({ metrics, log }, health, { port: 0, address: '127.0.0.1' })
  onTestFinished(() => listener.close())
  const at = `http://127.0.0.1:${listener.port}`
  expect((await fetch(`${at}/metrics`)).status).toBe(500)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'failed to read metrics', error: 'no reading' },
  ])
  expect((await fetch(`${at}/health`)).status).toBe(200)
})
