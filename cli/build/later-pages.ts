// A page of the console that is loaded later counts as one that imports the frame, which is loaded before it. Without this the bundler makes a file of
// its own for each combination of pages that share something, and many small files are larger than a few.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

/** `frame`: what every page of the console has loaded already. */
export const importFrameLater = (frame: string): Plugin => ({
  name: 'later-pages',
  setup(build) {
    const pages = new Set<string>()
    build.onResolve({ filter: /\.tsx$/ }, ({ kind, path, importer }) => {
      if (kind === 'dynamic-import') pages.add(join(dirname(importer), path))
      return undefined
    })
    build.onLoad({ filter: /\.tsx$/ }, ({ path }) =>
      pages.has(path)
        ? { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(frame)}\n`, loader: 'tsx' }
        : undefined,
    )
  },
})
