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
  passedBy: string[]
}

export interface Containers {
  run(service: string, args: string[]): string
  /** All that have no profile, unless named; what they depend on comes first. */
  up(names: string[]): Promise<void>
  /** Ends one by the signal of its image, and answers its exit code. */
  stop(service: string): Promise<number | null>
  close(): void
}

export function makeContainers(engine: Engine): Containers {
  const { services, images, folder, bin, ports } = engine
  const running = new Map<string, ChildProcess>()
  const healthy = new Set<string>()
  const logOf = (name: string) => join(folder, `${name}.log`)
  const here = (text: string) =>
    [...ports].reduce(
      (changed, [port, free]) => changed.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${free}`),
      text,
    )

  function serviceOf(name: string): Service {
    const service = services[name]
    if (!service) throw new Error(`compose.yaml has no ${name}`)
    return service
  }

  /** Its process: the words of its command and its environment, with the paths that they name as they are here. */
  function processOf(name: string, command?: string[]) {
    const service = serviceOf(name)
    const image = images.get(service.build?.target ?? service.image.replace(/^msgnet-|:.*$/g, ''))
    const mounts = (service.volumes ?? []).map((volume): [string, string] => {
      const [from = '', to = ''] = volume.split(':')
      const path = from.startsWith('.') ? join(folder, from) : join(folder, 'volumes', from)
      if (!/\.\w+$/.test(from.replace(/^\.+/, ''))) mkdirSync(path, { recursive: true })
      return [to, path]
    })
    const at = (word: string) => {
      const [to, path] = mounts.find(([to]) => word === to || word.startsWith(`${to}/`)) ?? []
      return to === undefined ? here(word) : path + word.slice(to.length)
    }
    const files = (service.env_file ?? []).map(({ path }) =>
      parseEnv(readFileSync(join(folder, path), 'utf8')),
    )
    const env = Object.fromEntries(
      Object.entries({ ...image?.env, ...Object.assign({}, ...files), ...service.environment }).map(
        ([key, value]) => [key, at(String(value))],
      ),
    )
    const words = [
      ...(service.entrypoint ?? []),
      ...(command ?? service.command ?? image?.command ?? []),
    ].map(at)
    return {
      words,
      image,
      options: {
        cwd: image ? join(image.root, image.workdir) : folder,
        env: { PATH: `${bin}:/usr/bin:/bin`, TMPDIR: tmp(name), ...portsOf(ports), ...env },
      },
    }
  }

  function tmp(name: string): string {
    const path = join(folder, 'tmp', name)
    mkdirSync(path, { recursive: true })
    return path
  }

  async function start(name: string): Promise<void> {
    if (running.has(name) || engine.passedBy.includes(name)) return
    const { depends_on: needed = [] } = serviceOf(name)
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) {
      await start(other)
      if (!Array.isArray(needed) && needed[other]?.condition === 'service_healthy')
        await becomesHealthy(other)
    }
    const { words, options } = processOf(name)
    const log = openSync(logOf(name), 'a')
    const [command = '', ...args] = words
    running.set(name, spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] }))
  }

  /** Asks as the image itself says. */
  async function becomesHealthy(name: string): Promise<void> {
    if (healthy.has(name) || engine.passedBy.includes(name)) return
    const { image } = processOf(name)
    if (!image || image.healthcheck.length === 0 || serviceOf(name).healthcheck?.disable) return
    const { words, options } = processOf(name, image.healthcheck)
    const [command = '', ...args] = words
    const ended = () => {
      const { exitCode, signalCode } = running.get(name) ?? {}
      return exitCode !== null || signalCode !== null
    }
    const asked = () => promisify(execFile)(command, args, options)
    await until(async () => ended() || asked(), { within: 150_000 }).catch(() => undefined)
    if (ended()) throw new Error(`${name} has ended: ${readFileSync(logOf(name), 'utf8').slice(-1500)}`)
    await asked().catch((cause) => {
      throw new Error(`${name} is not healthy: ${readFileSync(logOf(name), 'utf8').slice(-1500)}`, { cause })
    })
    healthy.add(name)
  }

  return {
    run(name, args) {
      const { words, options } = processOf(name, args)
      const [command = '', ...rest] = words
      return execFileSync(command, rest, { ...options, encoding: 'utf8' })
    },
    async up(names) {
      const all = Object.keys(services).filter((name) => !services[name]?.profiles)
      for (const name of names.length > 0 ? names : all) await start(name)
      for (const name of names.length > 0 ? names : all) await becomesHealthy(name)
    },
    async stop(name) {
      const child = running.get(name)
      const { image } = processOf(name)
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
const portsOf = (ports: Map<number, number>) => ({
  PORT: String(ports.get(8787)),
  EDGE_METRICS_PORT: String(ports.get(9465)),
  METRICS_PORT: String(ports.get(9464)),
})
