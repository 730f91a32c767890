// `npm run build:client`: builds the typed client as a package: plain JavaScript and declarations, without dependencies.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { build } from 'esbuild'
import { clientRoutes } from './build/client-routes.ts'
import { buildClientModel } from './build/clients/client-model.ts'
import { buildTypeScriptCode } from './build/clients/typescript-code.ts'
import { projectRoot } from './build/root.ts'

const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
)
const client = join(projectRoot, 'clients', 'typescript')

/** `to`: a folder that is replaced. */
async function buildClient(to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true })
  await build({
    entryPoints: [join(client, 'client.ts')],
    outfile: join(to, 'client.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    plugins: [clientRoutes],
    logLevel: 'warning',
  })
  buildTypes(join(to, 'types'))
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(describePackage(), undefined, 2)}\n`)
  copyFileSync(join(projectRoot, 'docs', 'use', 'client.md'), join(to, 'README.md'))
  copyFileSync(join(projectRoot, 'LICENSE'), join(to, 'LICENSE'))
}

/** What npm is told of it. In this project it is `@msgnet/client`, whose files are TypeScript; this has another name and no dependencies. */
function describePackage() {
  const { version, description, license, type } = JSON.parse(
    readFileSync(join(client, 'package.json'), 'utf8'),
  )
  return {
    name: 'msgnet-gateway-client',
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: '>=18' },
    exports: { '.': { types: './types/client.d.ts', default: './client.js' } },
    files: ['client.js', 'types'],
  }
}

/** The declarations of what is written by hand, and generated ones for what the schemas say. */
function buildTypes(to: string): void {
  const compiled = `${to}-compiled`
  execFileSync(process.execPath, [compiler, '-p', join(client, 'tsconfig.json'), '--outDir', compiled], {
    stdio: 'inherit',
  })
  mkdirSync(to, { recursive: true })
  const generated: Record<string, string> = buildTypeScriptCode(buildClientModel())
  for (const name of readdirSync(join(compiled, 'clients', 'typescript'))) {
    const text = generated[name] ?? readFileSync(join(compiled, 'clients', 'typescript', name), 'utf8')
    writeFileSync(join(to, name), text.replaceAll(/(['"]\.\/.*)\.ts(['"])/g, '$1.js$2'))
  }
  rmSync(compiled, { recursive: true })
  removeUnreachable(to)
}

/** Removes the declarations that those of the client do not refer to, directly or through others. */
function removeUnreachable(types: string): void {
  const reachable = new Set<string>()
  const addReachable = (name: string): void => {
    if (reachable.has(name)) return
    reachable.add(name)
    for (const [, next = ''] of readFileSync(join(types, name), 'utf8').matchAll(/['"]\.\/([\w-]+)\.js['"]/g))
      addReachable(`${next}.d.ts`)
  }
  addReachable('client.d.ts')
  for (const name of readdirSync(types)) if (!reachable.has(name)) rmSync(join(types, name))
}

await runCommand(() => {
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  return buildClient(values.to ?? join(projectRoot, '.build', 'client'))
})
