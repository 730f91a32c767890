// The programs of bridges/ for tests: each has an instance of its own at one gateway, and can be killed and started again.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
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
  const places = await Promise.all(Array.from({ length: bridges }, holdPort))
  const ports = places.map(({ port }) => port)
  const world = await startWorld({ WEBHOOK_ALLOWLIST: ports.map((port) => `127.0.0.1:${port}`).join() })
  const endings: (() => void)[] = []
  afterAll(async () => {
    for (const end of endings) end()
    for (const { holder } of places) holder.close()
    await world.close()
  })
  return {
    world,
    endings,
    async runBridge(name, { env = {}, prepare, link = linkDevice }) {
      const place = places.pop()
      if (!place) throw new Error('there are no ports for so many bridges')
      const { port, holder } = place
      const fresh = await createDevice(world, name)
      const url = `http://127.0.0.1:${port}`
      await prepare?.(fresh, url)
      const log = join(world.dataDir, `${fresh.id}.log`)
      const own = { TOKEN: fresh.token, PORT: String(port), BRIDGE_URL: url }
      const stored = { SECRET, DATABASE: join(world.dataDir, `${fresh.id}.db`) }
      const all = { GATEWAY: world.run.baseUrl, ...own, ...stored, ...env }
      const program = createProgram(`${name}.ts`, { url, log }, all)
      endings.push(program.end)
      holder.close()
      await program.start()
      await waitForWebhook(fresh, url, log)
      const device = await link(world, fresh)
      const { kill, start } = program
      // Two of the bridge's requests may be killed at the same time.
      let last = Promise.resolve()
      return {
        device,
        url,
        kill,
        service: createPlainCaller(url, {}),
        restart: () => (last = last.then(kill).then(start)),
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

/** The gateway knows the ports long before the bridges listen there: meanwhile they are not free, or another file's program would take one. */
async function holdPort(): Promise<{ port: number; holder: Server }> {
  const port = await freePort()
  const holder = createServer().listen(port, '127.0.0.1')
  await once(holder, 'listening')
  return { port, holder }
}

/** Until the bridge has its webhook; else its errors are thrown. */
async function waitForWebhook({ caller }: Device, url: string, log: string): Promise<void> {
  const isSubscribed = async () => {
    const { webhooks } = (await caller.get('/v1/webhooks')).body as { webhooks: { url: string }[] }
    return webhooks.some((webhook) => webhook.url === `${url}/gateway`)
  }
  await until(isSubscribed, { within: START_WITHIN_MS }).catch((error) => {
    throw new Error(`the bridge has no webhook: ${readFileSync(log, 'utf8')}`, { cause: error })
  })
}

/** Of a program of the folder that listens at `url`; what it prints of its errors is added to the file `log`. */
function createProgram(
  file: string,
  { url, log }: { url: string; log: string },
  env: Record<string, string>,
) {
  let child: ChildProcess | undefined
  return {
    async start() {
      child = spawn(process.execPath, [file], {
        cwd: folder,
        stdio: ['ignore', 'ignore', openSync(log, 'a')],
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
