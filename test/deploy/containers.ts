// As much of `docker compose` as the page uses, without an engine: a container is a process on the files of its image, with the
// settings, volumes and order of deploy/compose.yaml. It has free ports in place of those of the loopback that all parts share.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { until } from '../until.ts'
import type { Image } from './images.ts'

export interface Service {
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

/** For the whole gateway on the simulated network, at ports that are free here. */
export const createTrialVariables = async () => ({
  NETWORK: 'simulator',
  SIMULATOR_PORT: String(await freePort()),
  WEBHOOK_ALLOWLIST: `127.0.0.1:${await freePort()}`,
})

export interface Engine {
  services: Record<string, Service>
  /** Of what the Dockerfile builds. */
  images: Map<string, Image>
  /** The folder of compose.yaml; volumes with a name lie beside it. */
  folder: string
  bin: string
  /** Ports as the files name them, and as they are here. */
  ports: Map<number, number>
  /** Services that cannot run here. */
  skipped: string[]
}

export class Containers {
  readonly #engine: Engine
  readonly #running = new Map<string, ChildProcess>()
  readonly #healthy = new Set<string>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  runCommand(name: string, args: string[]): string {
    const { command, args: rest, options } = this.#prepareProcess(name, args)
    return execFileSync(command, rest, { ...options, encoding: 'utf8' })
  }

  /** All services without a profile, if none is named; those that they depend on start first. */
  async startServices(names: string[]): Promise<void> {
    const { services } = this.#engine
    const all = Object.keys(services).filter((name) => !services[name]?.profiles)
    for (const name of names.length > 0 ? names : all) await this.#startService(name)
    for (const name of names.length > 0 ? names : all) await this.#waitUntilHealthy(name)
  }

  /** Sends it the signal of its image, and returns its exit code. */
  async stopService(name: string): Promise<number | null> {
    const child = this.#running.get(name)
    const { image } = this.#prepareProcess(name)
    child?.kill((image?.stopSignal ?? 'SIGTERM') as NodeJS.Signals)
    await until(() => child && (child.exitCode !== null || child.signalCode !== null), { within: 90_000 })
    return child?.exitCode ?? null
  }

  close(): void {
    // With the processes that they have started.
    for (const { pid = 0, exitCode, signalCode } of this.#running.values())
      if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
  }

  async #startService(name: string): Promise<void> {
    if (this.#running.has(name) || this.#engine.skipped.includes(name)) return
    const { depends_on: needed = [] } = this.#findService(name)
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) {
      await this.#startService(other)
      if (!Array.isArray(needed) && needed[other]?.condition === 'service_healthy')
        await this.#waitUntilHealthy(other)
    }
    const { command, args, options } = this.#prepareProcess(name)
    const log = openSync(this.#findLog(name), 'a')
    this.#running.set(name, spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] }))
  }

  /** Runs the check of the image until it succeeds. */
  async #waitUntilHealthy(name: string): Promise<void> {
    if (this.#healthy.has(name) || this.#engine.skipped.includes(name)) return
    const { image } = this.#prepareProcess(name)
    if (!image || image.healthcheck.length === 0 || this.#findService(name).healthcheck?.disable) return
    const { command, args, options } = this.#prepareProcess(name, image.healthcheck)
    const hasEnded = () => {
      const { exitCode, signalCode } = this.#running.get(name) ?? {}
      return exitCode !== null || signalCode !== null
    }
    const checkHealth = () => promisify(execFile)(command, args, options)
    const readEndOfLog = () => readFileSync(this.#findLog(name), 'utf8').slice(-1500)
    await until(async () => hasEnded() || checkHealth(), { within: 150_000 }).catch(() => undefined)
    if (hasEnded()) throw new Error(`${name} has ended: ${readEndOfLog()}`)
    await checkHealth().catch((cause) => {
      throw new Error(`${name} is not healthy: ${readEndOfLog()}`, { cause })
    })
    this.#healthy.add(name)
  }

  #findLog(name: string): string {
    return join(this.#engine.folder, `${name}.log`)
  }

  #findService(name: string): Service {
    const service = this.#engine.services[name]
    if (!service) throw new Error(`compose.yaml has no ${name}`)
    return service
  }

  /** Its command and environment, with the paths that they name as they are on this machine. */
  #prepareProcess(name: string, words?: string[]) {
    const { images, folder, bin, ports } = this.#engine
    const service = this.#findService(name)
    const image = images.get(service.build?.target ?? service.image.replace(/^msgnet-|:.*$/g, ''))
    const mounts = createMounts(service, folder)
    const mapPath = (word: string) => {
      const [to, path] = mounts.find(([to]) => word === to || word.startsWith(`${to}/`)) ?? []
      return to === undefined ? replacePorts(word, ports) : path + word.slice(to.length)
    }
    const files = (service.env_file ?? []).map(({ path }) =>
      parseEnv(readFileSync(join(folder, path), 'utf8')),
    )
    const variables = { ...image?.env, ...Object.assign({}, ...files), ...service.environment }
    const env = Object.fromEntries(
      Object.entries(variables).map(([key, value]) => [key, mapPath(String(value))]),
    )
    const [command = '', ...args] = [
      ...(service.entrypoint ?? []),
      ...(words ?? service.command ?? image?.command ?? []),
    ].map(mapPath)
    const cwd = image ? join(image.root, image.workdir) : folder
    const own = { PATH: `${bin}:/usr/bin:/bin`, TMPDIR: createTmp(folder, name), ...mapPorts(ports) }
    return { command, args, image, options: { cwd, env: { ...own, ...env } } }
  }
}

/** The folders of a service's volumes, each by the path at which the service sees it. */
const createMounts = (service: Service, folder: string) =>
  (service.volumes ?? []).map((volume): [string, string] => {
    const [from = '', to = ''] = volume.split(':')
    const path = from.startsWith('.') ? join(folder, from) : join(folder, 'volumes', from)
    if (!/\.\w+$/.test(from.replace(/^\.+/, ''))) mkdirSync(path, { recursive: true })
    return [to, path]
  })

function createTmp(folder: string, name: string): string {
  const path = join(folder, 'tmp', name)
  mkdirSync(path, { recursive: true })
  return path
}

const replacePorts = (text: string, ports: Map<number, number>): string =>
  [...ports].reduce(
    (changed, [port, free]) => changed.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${free}`),
    text,
  )

/** Ports of the processes by default. */
const mapPorts = (ports: Map<number, number>) => ({
  PORT: String(ports.get(8787)),
  EDGE_METRICS_PORT: String(ports.get(9465)),
  METRICS_PORT: String(ports.get(9464)),
})
