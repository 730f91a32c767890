// The client's table of routes as plain data, inserted when the client is bundled, so that the schemas are not bundled with it.

import { routes } from '@msgnet/client/routes.ts'
import type { Plugin } from 'esbuild'

export const clientRoutes: Plugin = {
  name: 'client-routes',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]typescript[\\/]routes\.ts$/ }, () => ({
      contents: `export const routes = ${JSON.stringify(routes)}`,
      loader: 'js',
    }))
  },
}
