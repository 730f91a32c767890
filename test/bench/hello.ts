// Starts the bare worker on the runtime that also serves the edge.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from '../../local/build/bundle.ts'
import { freePort } from '../../local/settings/ports.ts'
import { until } from '../until.ts'

export async function startHello(): Promise<{ url: string; close(): Promise<void> }> {
  await build({
    entryPoints: [join(import.meta.dirname, 'hello-worker.ts')],
    outfile: join(projectRoot, '.build', 'hello.js'),
    bundle: true,
    format: 'esm',
    target: 'es2024',
  })
  const port = await freePort()
  const workerd: string = createRequire(import.meta.url)('workerd').default
  const config = join(import.meta.dirname, 'hello.capnp')
  const child = spawn(workerd, ['serve', config, `--socket-addr=http=127.0.0.1:${port}`], { stdio: 'ignore' })
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
