// The package `@msgnet/testing`: the laboratory for tests in JavaScript and TypeScript, which starts that of the package `msgnet-gateway`.

import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from './root.ts'

const source = join(projectRoot, 'clients', 'testing')

/** `to`: a folder that is replaced. */
export async function buildTestingPackage(to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true })
  await build({
    entryPoints: ['start-lab.ts', 'global-setup.ts'].map((name) => join(source, name)),
    outdir: to,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  })
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin',
    'tsc',
  )
  execFileSync(process.execPath, [compiler, '-p', join(source, 'tsconfig.json'), '--outDir', to], {
    stdio: 'inherit',
  })
  cpSync(join(source, 'package.json'), join(to, 'package.json'))
  cpSync(join(projectRoot, 'docs', 'use', 'testing.md'), join(to, 'README.md'))
  cpSync(join(projectRoot, 'LICENSE'), join(to, 'LICENSE'))
}
