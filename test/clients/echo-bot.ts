// Runs the example bot of a client, and reads what it has answered.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { LinkedDevice } from '../device.ts'
import type { World } from '../world.ts'
import { clients, createEnvironment, type languages } from './languages.ts'

type Gateway = Pick<World, 'run' | 'sim'>

export function startBot(
  world: Gateway,
  device: LinkedDevice,
  { language, bot }: (typeof languages)[number],
) {
  const [command = '', ...args] = bot
  const running = spawn(command, args, {
    cwd: join(clients, language),
    env: createEnvironment({ GATEWAY: world.run.baseUrl, TOKEN: device.token }),
    detached: true,
    stdio: 'ignore',
  })
  return {
    /** With what it has started: `go run` compiles a program and starts that. */
    stop() {
      if (running.pid && running.exitCode === null && running.signalCode === null)
        process.kill(-running.pid, 'SIGKILL')
    },
  }
}

export async function readInbox(world: Gateway, phone: string): Promise<string[]> {
  const { messages } = await world.sim('GET', `/phones/${phone}/inbox`)
  return (messages as { text: string }[]).map(({ text }) => text)
}
