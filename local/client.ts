// `npm run build:client`: the typed client as plain JavaScript with its declarations, for programs outside this project.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from './bundle.ts'
import { clientRoutes } from './client-routes.ts'

const output = join(projectRoot, '.build', 'client')

rmSync(output, { recursive: true, force: true })
await build({
  entryPoints: [join(projectRoot, 'client', 'client.ts')],
  outfile: join(output, 'client.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  plugins: [clientRoutes],
  logLevel: 'warning',
})
