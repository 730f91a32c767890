// Bundles the programs of a gateway as JavaScript, for the package: Node runs no TypeScript below node_modules. Packages of others are not bundled.

import { build, type Plugin } from 'esbuild'
import { projectRoot } from './root.ts'

/** Each process and thread, by the source that it begins with. Their bundles find each other by these names, in one folder. */
const PROGRAMS = [
  'cli/demo.ts',
  'cli/lab.ts',
  'cli/start.ts',
  'edge/node/edge-process.ts',
  'edge/node/large-reads-worker.ts',
  'session-host/driver/baileys/keys/large-rows-worker.ts',
  'session-host/media/decoder-main.ts',
  'session-host/run-host.ts',
  'session-host/store/retention-worker.ts',
  'shared/node/checkpoint-worker.ts',
  'shared/node/laboratory-time.ts',
  'shared/node/quick-imports.ts',
  'simulator/run-simulator.ts',
]

/** What only a checkout does: building the pages, and restarting what has changed. The package has its pages, and no sources. */
const OF_CHECKOUT = /[\\/](build-documentation|build-guides|bundle-console|watch-sources)\.ts$/

/** `folder` must be two levels below the package, as the sources are below the project. Returns the names of the packages that they import. */
export async function bundlePrograms(folder: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: PROGRAMS,
    outdir: folder,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // The names of our classes are in logs.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    define: { 'import.meta.main': 'false' },
    plugins: [leavePackages],
    metafile: true,
    logLevel: 'silent',
  })
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
  const packages = imported.flatMap(({ path, external }) => (external ? (toPackageName(path) ?? []) : []))
  return [...new Set(packages)].sort()
}

/** Undefined for a module of Node, and for a file. */
const toPackageName = (path: string): string | undefined =>
  /^(node:|[./])/.test(path) ? undefined : /^(@[^/]+\/)?[^/]+/.exec(path)?.[0]

const leavePackages: Plugin = {
  name: 'leave-packages-and-builders',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@msgnet/') ? undefined : { path, external: true },
    )
    onResolve({ filter: OF_CHECKOUT }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}
