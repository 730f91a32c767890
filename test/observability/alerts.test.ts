// The alert rules are ones that Prometheus takes, each fires and ends in time, and each has its section in docs/run/alerts.md.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { expect, test } from 'vitest'
import { canRun } from '../optional-programs.ts'
import { buildUnitTests, cases } from './alert-cases.ts'
import { parseRules, readRules, rulesFile } from './alert-rules.ts'

/** Of Debian's package `prometheus`. */
const promtool = process.env.PROMTOOL || 'promtool'
const hasPromtool = canRun(promtool, ['--version'])

test('the rules are read as strictly as Prometheus reads them', () => {
  expect(readRules().length).toBeGreaterThan(25)
})

const createRule = (lines: string) =>
  `groups:\n  - name: one\n    rules:\n      - alert: One\n        ${lines}`

test.each([
  [
    'a comma in a text without quotes',
    'expr: up == 0\n        annotations: { summary: tries, or has, runbook: x }',
  ],
  ['a field that is not known', 'expr: up == 0\n        foR: 1m'],
  ['a number in place of a duration', 'expr: up == 0\n        for: 90'],
  ['a wrong duration', 'expr: up == 0\n        for: 1 minute'],
  ['a label that is no name', 'expr: up == 0\n        labels: { run-book: x }'],
  ['a label that is no text', 'expr: up == 0\n        labels: { severity: 1 }'],
  ['a template that is not closed', 'expr: up == 0\n        annotations: { summary: "{{ $value" }'],
  [
    'a template of an unknown function',
    'expr: up == 0\n        annotations: { summary: "{{ $value | bytes }}" }',
  ],
  ['no expression', 'for: 1m'],
  ['an open bracket', 'expr: sum(up == 0'],
  ['a bracket too many', 'expr: sum(up) == 0)'],
  ['an unknown function', 'expr: summe(up) == 0'],
  ['a rate without a range', 'expr: rate(edge_requests_total) > 0'],
  ['a field given twice', 'expr: up == 0\n        expr: up == 1'],
])('a rule with %s is refused', (_, lines) => {
  expect(() => parseRules(createRule('expr: up == 0\n        for: 1m'))).not.toThrow()
  expect(() => parseRules(createRule(lines))).toThrow()
})

test('each alert has its section in the run book, which its annotation names', () => {
  const page = readFileSync(join(projectRoot, 'docs', 'run', 'alerts.md'), 'utf8')
  const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name)
  const names = readRules().map(({ alert }) => alert)
  expect(new Set(names).size).toBe(names.length)
  expect(sections.sort()).toEqual([...names].sort())
  for (const { alert, annotations, labels } of readRules()) {
    expect(annotations?.runbook).toBe(`docs/run/alerts.md#${alert.toLowerCase()}`)
    expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)])
  }
})

test('no rule looks back so far that its alert stays for minutes after the outage', () => {
  const ranges = readRules().flatMap(({ expr }) => [...expr.matchAll(/\[(\w+)\]/g)].map(([, range]) => range))
  expect([...new Set(ranges)].sort()).toEqual(['1m', '2m'])
  expect(readRules().filter(({ keep_firing_for }) => keep_firing_for)).toEqual([])
})

test('each alert has an outage in which it must fire', () => {
  expect(cases.map(({ alert }) => alert).sort()).toEqual(
    readRules()
      .map(({ alert }) => alert)
      .sort(),
  )
})

test.skipIf(!hasPromtool)(
  'Prometheus accepts the rules and the scrape configuration (skipped without promtool)',
  () => {
    const checkRules = (...args: string[]) => execFileSync(promtool, ['check', ...args], { stdio: 'pipe' })
    checkRules('rules', rulesFile)
    checkRules('config', join(projectRoot, 'deploy', 'prometheus.yaml'))
  },
)

test.skipIf(!hasPromtool)(
  'Prometheus fires each alert in its outage and ends it after (skipped without promtool)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
    try {
      const file = join(folder, 'cases.yaml')
      writeFileSync(file, JSON.stringify(buildUnitTests(rulesFile)))
      expect(execFileSync(promtool, ['test', 'rules', file], { stdio: 'pipe' }).toString()).toContain(
        'SUCCESS',
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
