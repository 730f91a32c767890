// The chart renders, its objects are what the schemas of Kubernetes allow, and they fit the images and the table of variables.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Json, readObjects, renderChart } from './chart.ts'

const folder = join(projectRoot, 'deploy', 'chart')
const publicUrl = 'https://gateway.example'
const variants: [string, Json][] = [
  ['with its presets', { publicUrl }],
  [
    'with several hosts, an ingress and further settings',
    {
      publicUrl,
      images: { pullSecrets: ['registry', 'other'] },
      edge: { env: { LOG_LEVEL: 'warn', KEEP_EVENTS_DAYS: 7 }, storageClass: 'fast' },
      hosts: [
        { name: 'one', secret: 'first', slots: 200 },
        { name: 'two', secret: 'second', slots: 500 },
      ],
      host: { network: 'simulator', env: { KEEP_MESSAGES_DAYS: 7 }, storageClass: 'fast' },
      ingress: {
        enabled: true,
        host: 'gateway.example',
        className: 'nginx',
        tlsSecret: 'certificate',
        annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' },
      },
    },
  ],
  ['without hosts', { publicUrl, hosts: [] }],
]

interface Container {
  name: string
  env: { name: string; value: string }[]
  ports: { name: string; containerPort: number }[]
  securityContext: Json
  volumeMounts: { mountPath: string }[]
  [probe: string]: unknown
}
interface StatefulSet {
  kind: string
  apiVersion: string
  metadata: { name: string; labels: Json }
  spec: {
    replicas: number
    selector: { matchLabels: Json }
    template: {
      metadata: { labels: Json }
      spec: { containers: Container[]; securityContext: Json; terminationGracePeriodSeconds: number }
    }
  }
}

const renderSets = (values: Json) => renderChart(folder, 'msgnet', values) as unknown as StatefulSet[]
const readSets = (values: Json) => renderSets(values).filter(({ kind }) => kind === 'StatefulSet')
const listVariables = (text: string) =>
  [...text.matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)].flatMap(
    ([, names = '']) => names.match(/[A-Z_]+/g) ?? [],
  )

/** The classes of a package that has the schemas; without types here, so that only this test needs it. */
async function readSchemas(): Promise<Record<string, new (value: unknown) => { validate(): void }>> {
  const groups = ['v1', 'apps/v1', 'networking.k8s.io/v1'].map((group) => `kubernetes-models/${group}`)
  return Object.assign({}, ...(await Promise.all(groups.map((group) => import(group)))))
}

describe.each(variants)('the chart %s', (_, values) => {
  test('has only objects that the schemas of Kubernetes allow', async () => {
    const schemas = await readSchemas()
    const objects = renderSets(values)
    expect(objects.length).toBeGreaterThan(2)
    for (const object of objects) {
      const Schema = schemas[object.kind]
      if (!Schema) throw new Error(`there is no schema of ${object.kind}`)
      new Schema(object).validate()
    }
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
  })

  test('selects the pods that it makes, one at a time of each name', () => {
    for (const { spec } of readSets(values)) {
      expect(spec.replicas).toBe(1)
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
    }
  })

  test('runs the images as their user, with no rights, and lets them write to /data and /tmp only', () => {
    const image = readFileSync(join(projectRoot, 'deploy', 'Dockerfile'), 'utf8')
    expect(image).toMatch(/^VOLUME \/data$/m)
    expect(image).toMatch(/^USER node$/m)
    for (const { spec } of readSets(values)) {
      // The user `node` of the image.
      const user = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 }
      expect(spec.template.spec.securityContext).toEqual({
        ...user,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const { securityContext, volumeMounts, env } of spec.template.spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp'])
        expect(env.find(({ name }) => name === 'DATA_DIR')?.value).toMatch(/^\/data\/\w+$/)
      }
    }
  })

  test('probes each part at the address where it listens', () => {
    for (const { spec } of readSets(values))
      for (const { name, env, ports, startupProbe, readinessProbe, livenessProbe } of spec.template.spec
        .containers) {
        const findValue = (variable: string) => env.find((one) => one.name === variable)?.value
        const expected =
          name === 'edge'
            ? { http: findValue('PORT'), metrics: findValue('EDGE_METRICS_PORT') }
            : { metrics: findValue('METRICS_PORT') }
        expect(Object.fromEntries(ports.map((port) => [port.name, String(port.containerPort)]))).toEqual(
          expected,
        )
        const addresses = name === 'edge' ? ['HOST', 'EDGE_METRICS_HOST'] : ['METRICS_HOST']
        expect(addresses.map(findValue)).toEqual(addresses.map(() => '0.0.0.0'))
        const port = name === 'edge' ? 'http' : 'metrics'
        expect(readinessProbe).toMatchObject({ httpGet: { path: '/health/ready', port } })
        for (const probe of [livenessProbe, startupProbe])
          expect(probe).toMatchObject({ httpGet: { path: expect.stringMatching(/^\/health/), port } })
      }
  })

  test('names only variables of docs/run/environment.md, and has the stop timeouts of the units', () => {
    const known = listVariables(readFileSync(join(projectRoot, 'docs', 'run', 'environment.md'), 'utf8'))
    expect(known.length).toBeGreaterThan(30)
    for (const { metadata, spec } of readSets(values)) {
      const [{ env, name } = { env: [], name: '' }] = spec.template.spec.containers
      const names = env.map((one) => one.name)
      expect(names.filter((one) => ![...known, 'EDGE_URL', 'HOST_TOKEN'].includes(one))).toEqual([])
      const unit = readFileSync(join(projectRoot, 'deploy', 'systemd', `msgnet-${name}.service`), 'utf8')
      const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
      expect([metadata.name, spec.template.spec.terminationGracePeriodSeconds >= Number(seconds)]).toEqual([
        metadata.name,
        true,
      ])
    }
  })

  // As `promtool` and the like: held where the machine has it.
  test.skipIf(spawnSync('helm', ['version']).status !== 0)('renders as Helm renders it', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'chart-')), 'values.json')
    onTestFinished(() => rmSync(join(file, '..'), { recursive: true }))
    writeFileSync(file, JSON.stringify(values))
    const made = execFileSync('helm', ['template', 'msgnet', folder, '--values', file], { encoding: 'utf8' })
    const findByName = (objects: Json[]) =>
      Object.fromEntries(
        (objects as unknown as StatefulSet[]).map((one) => [`${one.kind} ${one.metadata.name}`, one]),
      )
    expect(findByName(readObjects(made))).toEqual(findByName(renderChart(folder, 'msgnet', values)))
  })
})

test('the chart is refused without the address of the gateway', () => {
  expect(() => renderSets({})).toThrow('publicUrl is missing')
})

test('the renderer accepts only what the chart uses', () => {
  expect(() => renderSets({ publicUrl, edge: { env: { LOG_LEVEL: 'info' } } })).not.toThrow()
  const wrong = mkdtempSync(join(tmpdir(), 'chart-'))
  onTestFinished(() => rmSync(wrong, { recursive: true }))
  execFileSync('cp', ['-r', `${folder}/.`, wrong])
  writeFileSync(join(wrong, 'templates', 'wrong.yaml'), 'a: {{ lookup "v1" }}\n')
  expect(() => renderChart(wrong, 'msgnet', { publicUrl })).toThrow('lookup is not known here')
})
