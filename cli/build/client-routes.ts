// The client's table of routes as plain data, inserted when the client is bundled, so that the schemas are not bundled with it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@msgnet/client/routes.ts'
import type { Plugin } from 'esbuild'

const insertRoutes = (table: Partial<typeof routes>): Plugin => ({
  name: 'client-routes',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]typescript[\\/]routes\.ts$/ }, () => ({
      contents: `export const routes = ${JSON.stringify(table)}`,
      loader: 'js',
    }))
  },
})

export const clientRoutes = insertRoutes(routes)

/** Only those that a source in this folder names. */
export function takeNamedRoutes(folder: string): Plugin {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  )
  const named = new Set(
    sources.flatMap((path) => readFileSync(join(folder, path), 'utf8').match(/\w+/g) ?? []),
  )
  return insertRoutes(Object.fromEntries(Object.entries(routes).filter(([id]) => named.has(id))))
}
