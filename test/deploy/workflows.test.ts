// The workflows of CI and of a release, read as far as that goes without a runner: what they use, what they run, and one version everywhere.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { describe, expect, test } from 'vitest'
import { readWorkspaces } from '../link-packages.ts'

const { parse } = createRequire(import.meta.url)('yaml')
const readText = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
const readJson = (path: string) => JSON.parse(readText(path))
const { version, scripts } = readJson('package.json')

interface Step {
  uses?: string
  run?: string
}
interface Job {
  uses?: string
  needs?: string | string[]
  steps?: Step[]
}
const files = readdirSync(join(projectRoot, '.github', 'workflows')).map(
  (name) => `.github/workflows/${name}`,
)
const readJobs = (file: string): Record<string, Job> => parse(readText(file)).jobs
const listSteps = (file: string) =>
  Object.values(readJobs(file)).flatMap((job) => [job, ...(job.steps ?? [])])

test('there is a workflow for every change, one for a release, one for the site, and one of the slow tests for both', () => {
  const names = ['ci', 'release', 'site', 'slow'].map((name) => `.github/workflows/${name}.yml`)
  expect(files).toEqual(names)
})

describe.each(files)('%s', (file) => {
  test('uses actions by the digest of their commit, with the version beside it', () => {
    const used = [...readText(file).matchAll(/uses: (\S+)(.*)$/gm)]
    expect(used).toHaveLength(listSteps(file).filter(({ uses }) => uses).length)
    const isPinned = ([, name = '', rest = '']: string[]) =>
      name.startsWith('./')
        ? existsSync(join(projectRoot, name))
        : /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(name) && /^ # v\d+\.\d+\.\d+$/.test(rest)
    expect(used.filter((one) => !isPinned(one)).map(([line]) => line)).toEqual([])
  })

  test('runs scripts that this project has, and needs jobs that it has', () => {
    const commands = [...readText(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(commands.length).toBeGreaterThan(0)
    expect(commands.filter((name) => !scripts[name])).toEqual([])
    const jobs = readJobs(file)
    const needed = Object.values(jobs).flatMap(({ needs = [] }) => needs)
    expect(needed.filter((name) => !jobs[name])).toEqual([])
  })
})

test('a release builds every image that the Dockerfile ends with', () => {
  const [, targets = ''] = /target: \[(.+)\]/.exec(readText('.github/workflows/release.yml')) ?? []
  const stages = [...readText('deploy/Dockerfile').matchAll(/^FROM \S+ AS ([\w-]+)$/gm)].map(
    ([, name]) => name,
  )
  const isFinal = (name = '') => Object.keys(readJson('deploy/image-packages.json')).includes(name)
  expect(targets.split(', ')).toEqual(stages.filter(isFinal))
})

test('packages, the chart, its images and the changelog have the version of the project', () => {
  const chart = parse(readText('deploy/chart/Chart.yaml'))
  const { images } = parse(readText('deploy/chart/values.yaml'))
  const named: Record<string, unknown> = {
    chart: chart.version,
    app: chart.appVersion,
    edge: images.edge.split(':')[1],
    host: images.host.split(':')[1],
    python: /^version = "(.+)"$/m.exec(readText('clients/python/pyproject.toml'))?.[1],
    n8n: readJson('clients/n8n-nodes-msgnet/package.json').version,
    testing: readJson('clients/testing/package.json').version,
    gatewayOfTesting: readJson('clients/testing/package.json').dependencies['msgnet-gateway'],
    changelog: /^## (\d.*)$/m.exec(readText('CHANGELOG.md'))?.[1],
  }
  for (const folder of readWorkspaces().values()) named[folder] = readJson(`${folder}/package.json`).version
  expect(Object.entries(named).filter(([, other]) => other !== version)).toEqual([])
})
