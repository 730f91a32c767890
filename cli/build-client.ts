// `npm run build:client`: builds the typed client as a package: plain JavaScript and declarations, without dependencies.

import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { clientRoutes } from './build/client-routes.ts'
import { projectRoot } from './build/root.ts'
import { runCommand } from './settings/run-command.ts'

const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
)
const client = join(projectRoot, 'client')

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
  const types = join(to, 'types')
  execFileSync(process.execPath, [compiler, '-p', join(client, 'tsconfig.json'), '--outDir', types], {
    stdio: 'inherit',
  })
  nameChapters(types)
  removeDocumentation(types)
  replaceZodTypes(types)
  removeUnreachable(types)
  copyFileSync(join(client, 'package.json'), join(to, 'package.json'))
  copyFileSync(join(projectRoot, 'docs', 'client.md'), join(to, 'README.md'))
  copyFileSync(join(projectRoot, 'LICENSE'), join(to, 'LICENSE'))
}

/** The compiler repeats every chapter of the API where they are combined; referring to them by name makes the file a fifth of the size. */
function nameChapters(types: string): void {
  const source = readFileSync(join(projectRoot, 'shared', 'api', 'api.ts'), 'utf8')
  const chapters = Array.from(source.matchAll(/^ {2}\.\.\.(\w+)\.routes,$/gm), ([, name]) => name)
  if (chapters.length === 0) throw new Error('shared/api/api.ts names no chapters')
  const imports = source.match(/^import \{.*$/gm) ?? []
  const together = chapters.map((name) => `typeof ${name}.routes`).join(' & ')
  writeFileSync(
    join(types, 'shared', 'api', 'api.d.ts'),
    `${imports.join('\n')}\nexport declare const routes: ${together};\n`,
  )
}

/** The samples of the documentation, and which faults a route has, are of no use to a caller. */
function removeDocumentation(types: string): void {
  const folder = join(types, 'shared', 'api')
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace(/^( *)samples: \{\n[\s\S]*?\n\1\};/gm, '$1samples: {};')
        .replace(/^ *faults: .*\];\n/gm, ''),
    )
  }
}

/** The declarations name the schemas; only their input and output types are needed. */
function replaceZodTypes(types: string): void {
  const standIn = join(types, 'client', 'schema-types.js')
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue
    const file = join(types, name)
    const path = relative(dirname(file), standIn)
    const place = path.startsWith('.') ? path : `./${path}`
    const declared = readFileSync(file, 'utf8')
      .replaceAll(/import\(["']zod\/v4\/core["']\)/g, `import('${place}').core`)
      .replaceAll(/(["'])zod\1/g, `'${place}'`)
    writeFileSync(file, declared.replaceAll(/(from ['"]\.{1,2}\/.*)\.ts(['"])/g, '$1.js$2'))
  }
}

/** Removes the declarations that those of the client do not refer to, directly or through others. */
function removeUnreachable(types: string): void {
  const reachable = new Set<string>()
  const addReachable = (file: string): void => {
    if (reachable.has(file)) return
    reachable.add(file)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g))
      addReachable(join(dirname(file), `${path}.d.ts`))
  }
  addReachable(join(types, 'client', 'client.d.ts'))
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.d.ts') && !reachable.has(join(types, name))) rmSync(join(types, name))
}

await runCommand(() => {
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  return buildClient(values.to ?? join(projectRoot, '.build', 'client'))
})
