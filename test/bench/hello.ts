// Starts a bare Hono application on the server library that also serves the edge.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { until } from '../until.ts'

export async function startHello(): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort()
  const server = join(import.meta.dirname, 'hello-server.ts')
  const child = spawn(process.execPath, [server, String(port)], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/`
  await until(async () => (await fetch(url)).ok)
  return {
    url,
    async close() {
      const gone = once(child, 'close')
      child.kill('SIGTERM')
      await gone
    },
  }
}
