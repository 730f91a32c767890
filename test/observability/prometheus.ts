// A real Prometheus on this machine that scrapes one gateway, with the rules as they are or with shorter waits.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunRecord } from '@msgnet/cli/data-folder/run-record.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { until } from '../until.ts'
import { type Rule, readRules } from './alert-rules.ts'

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>

/** What a rule has in place of its own. */
export type Changes = Record<string, Partial<Pick<Rule, 'for' | 'expr'>>>

export async function startPrometheus(binary: string, run: RunRecord, changes: Changes) {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
  const address = `127.0.0.1:${await freePort()}`
  const rules = readRules().map((rule) => ({ ...rule, ...changes[rule.alert] }))
  const createJob = (name: string, url: string) => ({
    job_name: name,
    static_configs: [{ targets: [new URL(url).host] }],
  })
  // JSON is YAML too. The intervals are those of deploy/prometheus.yaml.
  writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ groups: [{ name: 'msgnet', rules }] }))
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    JSON.stringify({
      global: { scrape_interval: '15s', evaluation_interval: '15s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [
        createJob('msgnet-edge', run.edgeMetricsUrl),
        createJob('msgnet-host', run.metricsUrl),
      ],
    }),
  )
  const child = spawn(
    binary,
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await until(async () => (await fetch(`http://${address}/-/ready`)).ok, { within: 30_000 })
  return {
    /** The names of the alerts that fire; `pending`: and of those that will, if it goes on. */
    async listFiring(also?: 'pending'): Promise<Set<string>> {
      const { data } = (await (await fetch(`http://${address}/api/v1/alerts`)).json()) as {
        data: { alerts: { labels: { alertname: string }; state: string }[] }
      }
      const firing = data.alerts.filter(({ state }) => state === 'firing' || state === also)
      return new Set(firing.map(({ labels }) => labels.alertname))
    },
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
