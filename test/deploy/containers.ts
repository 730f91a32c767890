// As much of `docker compose` as the page uses, without an engine: a container is a process on the files of its image, with the
// settings, volumes and order of deploy/compose.yaml. It has free ports in place of those of the loopback that all parts share.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { until } from '../until.ts'
import type { Image } from './images.ts'

interface Service {
  image: string
  build?: { target: string }
  command?: string[]
  entrypoint?: string[]
  environment?: Record<string, string>
  env_file?: { path: string }[]
  volumes?: string[]
  depends_on?: string[] | Record<string, { condition: string }>
  healthcheck?: { disable?: boolean }
  profiles?: string[]
}

const { parse } = createRequire(import.meta.url)('yaml')
export const readServices = (text: string): Record<string, Service> => parse(text, { merge: true }).services

export interface Engine {
  services: Record<string, Service>
  /** Of what the Dockerfile builds. */
  images: Map<string, Image>
  /** The folder of compose.yaml; volumes with a name lie beside it. */
  folder: string
  bin: string
  /** Ports as the files name them, and as they are here. */
  ports: Map<number, number>
  /** What nobody can run here. */
  skipped: string[]
}

export interface Containers {
  runCommand(service: string, args: string[]): string
  /** All that have no profile, unless named; what they depend on comes first. */
  startServices(names: string[]): Promise<void>
  /** Ends one by the signal of its image, and answers its exit code. */
  stopService(service: string): Promise<number | null>
  close(): void
}

export function createContainers(engine: Engine): Containers {
  const { services, images, folder, bin, ports } = engine
  const running = new Map<string, ChildProcess>()
  const healthy = new Set<string>()
  const findLog = (name: string) => join(folder, `${name}.log`)
  const replacePorts = (text: string) =>
    [...ports].reduce(
      (changed, [port, free]) => changed.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${free}`),
      text,
    )

  function findService(name: string): Service {
    const service = services[name]
    if (!service) throw new Error(`compose.yaml has no ${name}`)
    return service
  }

  /** Its process: the words of its command and its environment, with the paths that they name as they are here. */
  function prepareProcess(name: string, command?: string[]) {
    const service = findService(name)
    const image = images.get(service.build?.target ?? service.image.replace(/^msgnet-|:.*$/g, ''))
    const mounts = (service.volumes ?? []).map((volume): [string, string] => {
      const [from = '', to = ''] = volume.split(':')
      const path = from.startsWith('.') ? join(folder, from) : join(folder, 'volumes', from)
      if (!/\.\w+$/.test(from.replace(/^\.+/, ''))) mkdirSync(path, { recursive: true })
      return [to, path]
    })
    const mapPath = (word: string) => {
      const [to, path] = mounts.find(([to]) => word === to || word.startsWith(`${to}/`)) ?? []
      return to === undefined ? replacePorts(word) : path + word.slice(to.length)
    }
    const files = (service.env_file ?? []).map(({ path }) =>
      parseEnv(readFileSync(join(folder, path), 'utf8')),
    )
    const env = Object.fromEntries(
      Object.entries({ ...image?.env, ...Object.assign({}, ...files), ...service.environment }).map(
        ([key, value]) => [key, mapPath(String(value))],
      ),
    )
    const words = [
      ...(service.entrypoint ?? []),
      ...(command ?? service.command ?? image?.command ?? []),
    ].map(mapPath)
    return {
      words,
      image,
      options: {
        cwd: image ? join(image.root, image.workdir) : folder,
        env: { PATH: `${bin}:/usr/bin:/bin`, TMPDIR: createTmp(name), ...mapPorts(ports), ...env },
      },
    }
  }

  function createTmp(name: string): string {
    const path = join(folder, 'tmp', name)
    mkdirSync(path, { recursive: true })
    return path
  }

  async function startService(name: string): Promise<void> {
    if (running.has(name) || engine.skipped.includes(name)) return
    const { depends_on: needed = [] } = findService(name)
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) {
      await startService(other)
      if (!Array.isArray(needed) && needed[other]?.condition === 'service_healthy')
        await waitUntilHealthy(other)
    }
    const { words, options } = prepareProcess(name)
    const log = openSync(findLog(name), 'a')
    const [command = '', ...args] = words
    running.set(name, spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] }))
  }

  /** Asks as the image itself says. */
  async function waitUntilHealthy(name: string): Promise<void> {
    if (healthy.has(name) || engine.skipped.includes(name)) return
    const { image } = prepareProcess(name)
    if (!image || image.healthcheck.length === 0 || findService(name).healthcheck?.disable) return
    const { words, options } = prepareProcess(name, image.healthcheck)
    const [command = '', ...args] = words
    const hasEnded = () => {
      const { exitCode, signalCode } = running.get(name) ?? {}
      return exitCode !== null || signalCode !== null
    }
    const isHealthy = () => promisify(execFile)(command, args, options)
    await until(async () => hasEnded() || isHealthy(), { within: 150_000 }).catch(() => undefined)
    if (hasEnded()) throw new Error(`${name} has ended: ${readFileSync(findLog(name), 'utf8').slice(-1500)}`)
    await isHealthy().catch((cause) => {
      throw new Error(`${name} is not healthy: ${readFileSync(findLog(name), 'utf8').slice(-1500)}`, {
        cause,
      })
    })
    healthy.add(name)
  }

  return {
    runCommand(name, args) {
      const { words, options } = prepareProcess(name, args)
      const [command = '', ...rest] = words
      return execFileSync(command, rest, { ...options, encoding: 'utf8' })
    },
    async startServices(names) {
      const all = Object.keys(services).filter((name) => !services[name]?.profiles)
      for (const name of names.length > 0 ? names : all) await startService(name)
      for (const name of names.length > 0 ? names : all) await waitUntilHealthy(name)
    },
    async stopService(name) {
      const child = running.get(name)
      const { image } = prepareProcess(name)
      child?.kill((image?.stopSignal ?? 'SIGTERM') as NodeJS.Signals)
      await until(() => child && (child.exitCode !== null || child.signalCode !== null), { within: 90_000 })
      return child?.exitCode ?? null
    },
    close() {
      // With what it has started.
      for (const { pid = 0, exitCode, signalCode } of running.values())
        if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
    },
  }
}

/** Where the processes listen unless told. */
const mapPorts = (ports: Map<number, number>) => ({
  PORT: String(ports.get(8787)),
  EDGE_METRICS_PORT: String(ports.get(9465)),
  METRICS_PORT: String(ports.get(9464)),
})
