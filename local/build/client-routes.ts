// The client's table of routes as plain data, put in when the client is bundled: the schemas that it is made of stay here.

import type { Plugin } from 'esbuild'
import { routes } from '../../client/routes.ts'

export const clientRoutes: Plugin = {
  name: 'client-routes',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]client[\\/]routes\.ts$/ }, () => ({
      contents: `export const routes = ${JSON.stringify(routes)}`,
      loader: 'js',
    }))
  },
}
