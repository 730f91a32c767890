// What names the image `all` agrees with it: the one line and the ten lines of docs/run/one-container.md, and the templates for platforms, which are read
// here and run nowhere.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { expect, test } from 'vitest'

const { parse } = createRequire(import.meta.url)('yaml')
const readText = (...path: string[]) => readFileSync(join(projectRoot, ...path), 'utf8')
const readTemplate = (...path: string[]) => readText('deploy', 'templates', ...path)
const { version } = JSON.parse(readText('package.json'))
const page = readText('docs', 'run', 'one-container.md')

const [, released = ''] = /tags: (ghcr\.io\/.+)/.exec(readText('.github', 'workflows', 'release.yml')) ?? []
/** What a release publishes, by whoever makes it. */
const image = released
  .replace(/\$\{\{ github\.repository_owner \}\}/, 'OWNER')
  .replace(/\$\{\{ matrix\.target \}\}/, 'all')
  .replace(/\$\{\{ needs\.version.+\}\}/, version)

const dockerfile = readText('deploy', 'Dockerfile')
const [, stage = ''] = dockerfile.split('\nFROM base AS all\n')
const port = Number(/^EXPOSE (\d+)$/m.exec(stage)?.[1])
const folder = /^VOLUME (\S+)$/m.exec(dockerfile)?.[1]
const check: string[] = JSON.parse(/^HEALTHCHECK .* CMD (\[.+\])$/m.exec(stage)?.[1] ?? '[]')
const healthPath = /127\.0\.0\.1:\d+([\w/]+)/.exec(check.join(' '))?.[1]
const variables = new Set(
  [...readText('docs', 'run', 'environment.md').matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name),
)

interface Service {
  image: string
  environment?: string[]
  volumes: string[]
  tmpfs?: string[]
  read_only?: boolean
  healthcheck?: { test: string[] }
  [option: string]: unknown
}
const readServices = (text: string): Record<string, Service> => parse(text).services
const [, tenLines = ''] = /^```yaml\n([\s\S]+?)^```$/m.exec(page) ?? []
const { all: built } = readServices(readText('deploy', 'one-container.yaml'))
const { all: pulled } = readServices(tenLines)

const own = ['environment', 'image', 'build', 'pull_policy', 'ports', 'volumes', 'restart', 'healthcheck']
/** What it may do, and how it is stopped. */
const listRights = (service: Service | undefined) =>
  Object.fromEntries(Object.entries(service ?? {}).filter(([name]) => !own.includes(name)))
/** Of `NAME=value` and of `NAME`, but not those that a platform makes by its own names. */
const listVariables = (lines: string[] = []) =>
  lines.map((line) => line.split('=')[0] ?? '').filter((name) => !/^(SERVICE|RAILWAY)_/.test(name))
const findUnknown = (names: string[]) => names.filter((name) => !variables.has(name))

test('the image has a port, a volume and a health check, which the release publishes by a name', () => {
  expect({ image, port, folder, healthPath }).toEqual({
    image: `ghcr.io/OWNER/msgnet-all:${version}`,
    port: 8787,
    folder: '/data',
    healthPath: '/health/ready',
  })
})

test('the lines of Compose are at most ten, and are those of the file that builds the image, without what drops rights', () => {
  expect(tenLines.trim().split('\n').length).toBeLessThanOrEqual(10)
  const missing = ['build', 'pull_policy', 'cap_drop', 'security_opt']
  const rest = Object.entries(built ?? {}).filter(([name]) => !missing.includes(name))
  expect(Object.keys(built ?? {})).toEqual(expect.arrayContaining(missing))
  expect(pulled).toEqual({ ...Object.fromEntries(rest), image })
})

test('the one line of docker run says the same as the file that builds the image', () => {
  const [line = ''] = /^docker run .+$/m.exec(page) ?? []
  const list = (option: string) =>
    [...line.matchAll(new RegExp(`--${option} (\\S+)`, 'g'))].map(([, value]) => value)
  expect(line.endsWith(` ${image}`)).toBe(true)
  expect({
    ports: list('publish'),
    volumes: list('volume').map((volume) => volume?.replace(/^\w+:/, 'data:')),
    tmpfs: list('tmpfs'),
    cap_drop: list('cap-drop'),
    security_opt: list('security-opt'),
    restart: list('restart')[0],
    stop_grace_period: `${list('stop-timeout')[0]}s`,
    read_only: line.includes(' --read-only '),
  }).toEqual({ ...listRights(built), ports: built?.ports, volumes: built?.volumes, restart: built?.restart })
})

test('the templates for Coolify and Dokploy have the image, its volume, port and rights, and variables that it reads', () => {
  const coolify = readTemplate('coolify.yaml')
  const dokploy = readTemplate('dokploy', 'docker-compose.yml')
  for (const text of [coolify, dokploy]) {
    const { msgnet } = readServices(text)
    expect(msgnet).toMatchObject({ image, volumes: [`msgnet-data:${folder}`] })
    expect(Object.keys(parse(text).volumes)).toEqual(['msgnet-data'])
    expect(listRights(msgnet)).toEqual(listRights(built))
    expect(findUnknown(listVariables(msgnet?.environment))).toEqual([])
  }
  expect(coolify).toMatch(new RegExp(`^# port: ${port}$`, 'm'))
  const { msgnet } = readServices(coolify)
  expect(msgnet?.environment).toContain(`SERVICE_URL_MSGNET_${port}`)
  expect(msgnet?.healthcheck?.test).toEqual(['CMD', ...check])
})

test('what Dokploy makes of its variables is what its Compose file takes', () => {
  const settings = readTemplate('dokploy', 'template.toml')
  expect(settings).toMatch(new RegExp(`^port = ${port}$`, 'm'))
  expect(settings).toMatch(/^serviceName = "msgnet"$/m)
  const [, env = ''] = settings.split('[config.env]\n')
  const made = [...env.matchAll(/^(\w+) = /gm)].map(([, name = '']) => name)
  const compose = readTemplate('dokploy', 'docker-compose.yml')
  expect(made).toEqual([...compose.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name))
  const declared = new Set([...settings.matchAll(/^(\w+) = "\$\{/gm)].map(([, name]) => name))
  const used = [...settings.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  expect(used.filter((name) => name !== 'domain' && !declared.has(name))).toEqual([])
  const meta = JSON.parse(readTemplate('dokploy', 'meta.json'))
  expect(meta.version).toBe(version)
  expect(existsSync(join(projectRoot, 'deploy', 'templates', 'dokploy', meta.logo))).toBe(true)
})

test('the template for Easypanel has the image, its volume and port, and one replica at a time', () => {
  const { services } = JSON.parse(readTemplate('easypanel.json'))
  const [{ data }] = services
  expect(data).toMatchObject({
    source: { type: 'image', image },
    domains: [{ port }],
    mounts: [{ type: 'volume', mountPath: folder }],
    deploy: { replicas: 1, zeroDowntime: false },
  })
  expect(findUnknown(listVariables(data.env.split('\n')))).toEqual([])
})

test('the template for Railway builds from the image, and asks the health of its route', () => {
  const { build, deploy } = JSON.parse(readTemplate('railway', 'railway.json'))
  expect(existsSync(join(projectRoot, build.dockerfilePath))).toBe(true)
  expect(readText(build.dockerfilePath)).toMatch(new RegExp(`^FROM ${image}$`, 'm'))
  expect(deploy).toMatchObject({ healthcheckPath: healthPath, numReplicas: 1, overlapSeconds: 0 })
  // What the page has its reader set there.
  const [row = ''] = /^\| Railway .+$/m.exec(page) ?? []
  const named = [...row.matchAll(/`([A-Z][A-Z_]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name)
  expect(named).toContain('ADMIN_TOKEN')
  expect(findUnknown(listVariables(named))).toEqual([])
  expect(row).toContain(`\`PORT=${port}\``)
})
