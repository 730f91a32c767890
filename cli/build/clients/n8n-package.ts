// The package of the nodes for n8n as it is published: each node and credential is one file, beside its pictures.

import { cpSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from '../root.ts'

const home = join(projectRoot, 'clients', 'n8n-nodes-msgnet')

interface Manifest {
  n8n: { nodes: string[]; credentials: string[] }
}

/** `dist`: the folder that is written; what was there is removed. */
export async function buildN8nPackage(dist: string): Promise<void> {
  const { n8n }: Manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const sources = [...n8n.nodes, ...n8n.credentials].map((path) =>
    path.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
  )
  rmSync(dist, { recursive: true, force: true })
  await build({
    entryPoints: sources.map((path) => join(home, path)),
    outdir: dist,
    outbase: home,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['n8n-workflow'],
    logLevel: 'warning',
  })
  for (const folder of new Set(n8n.nodes.map((path) => dirname(path).replace(/^dist\//, ''))))
    cpSync(join(home, folder), join(dist, folder), {
      recursive: true,
      filter: (path) => !/\.ts$|generated$/.test(path),
    })
}
