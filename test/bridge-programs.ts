// The programs of bridges/ for tests: each has an instance of its own at one gateway, and can be killed and started again.

import { type ChildProcess, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll } from 'vitest'
import { createPlainCaller } from './caller.ts'
import { createDevice, type Device, type LinkedDevice, linkDevice, SECRET } from './device.ts'
import type { Seen } from './scene.ts'
import { until } from './until.ts'
import { startWorld, type World } from './world.ts'

/** Its webhook at the gateway included. */
const START_WITHIN_MS = 40_000
const folder = join(import.meta.dirname, '..', 'bridges')

export interface BridgeOptions {
  /** Of the bridge, beside what every bridge needs. */
  env?: Record<string, string>
  /** Before the bridge starts, with the URL that it will have. */
  prepare?: (device: Device, url: string) => Promise<unknown>
  link?: (world: World, device: Device) => Promise<LinkedDevice>
}

export interface RunningBridge {
  device: LinkedDevice
  url: string
  service: ReturnType<typeof createPlainCaller>
  kill(): Promise<void>
  /** Kills the bridge and starts it again on the same file. */
  restart(): Promise<void>
  /** The first message on a phone that fits, waited for. */
  waitForMessage(number: string, matches: (message: Seen) => boolean, within?: number): Promise<Seen>
  writeText(from: string, text: string): Promise<string>
}

export interface BridgeStage {
  world: World
  /** Called after the last test of the file. */
  endings: (() => void)[]
  runBridge(name: 'chatwoot' | 'typebot', options: BridgeOptions): Promise<RunningBridge>
}

/** A gateway that may deliver to so many bridges. */
export async function startBridgeStage(bridges: number): Promise<BridgeStage> {
  const ports: number[] = []
  while (ports.length < bridges) ports.push(await freePort())
  const world = await startWorld({ WEBHOOK_ALLOWLIST: ports.map((port) => `127.0.0.1:${port}`).join() })
  const endings: (() => void)[] = []
  afterAll(async () => {
    for (const end of endings) end()
    await world.close()
  })
  return {
    world,
    endings,
    async runBridge(name, { env = {}, prepare, link = linkDevice }) {
      const port = ports.pop()
      if (!port) throw new Error('there are no ports for so many bridges')
      const fresh = await createDevice(world, name)
      const url = `http://127.0.0.1:${port}`
      await prepare?.(fresh, url)
      const program = createProgram(`${name}.ts`, url, {
        GATEWAY: world.run.baseUrl,
        TOKEN: fresh.token,
        SECRET,
        PORT: String(port),
        BRIDGE_URL: url,
        DATABASE: join(world.dataDir, `${fresh.id}.db`),
        ...env,
      })
      endings.push(program.end)
      await program.start()
      await until(async () => (await fresh.caller.get('/v1/webhooks')).body.webhooks.some(isWebhookAt(url)), {
        within: START_WITHIN_MS,
      })
      const device = await link(world, fresh)
      const { kill, start } = program
      // Two of the bridge's requests may be killed at the same time.
      let last = Promise.resolve()
      return {
        device,
        url,
        kill,
        service: createPlainCaller(url, {}),
        restart() {
          last = last.then(kill).then(start)
          return last
        },
        waitForMessage: (number, matches, within = 15_000) =>
          until(
            async () => {
              const { messages } = await world.sim('GET', `/phones/${number}/inbox`)
              return (messages as Seen[]).find(matches)
            },
            { within },
          ),
        writeText: async (from, text) =>
          (await world.sim('POST', '/messages', { from, to: device.number, text })).id as string,
      }
    },
  }
}

const isWebhookAt = (url: string) => (webhook: { url: string }) => webhook.url === `${url}/gateway`

/** Of a program of the folder that listens at this URL. */
function createProgram(file: string, url: string, env: Record<string, string>) {
  let child: ChildProcess | undefined
  return {
    async start() {
      child = spawn(process.execPath, [file], {
        cwd: folder,
        stdio: [
          'ignore',
          'ignore',
          process.env.BRIDGE_LOG ? openSync(process.env.BRIDGE_LOG, 'a') : 'ignore',
        ],
        env: { PATH: process.env.PATH, ...quickEnv, ...env },
      })
      await until(() => fetch(url), { within: START_WITHIN_MS })
    },
    async kill() {
      const running = child
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const ended = new Promise((resolve) => running.once('exit', resolve))
      running.kill('SIGKILL')
      await ended
    },
    end: () => void child?.kill('SIGKILL'),
  }
}
