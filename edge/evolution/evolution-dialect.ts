// The form of Evolution 2.3, below `/evolution`: its routes, and its webhooks.

import type { Dialect } from '../dialect/dialect.ts'
import { DialectForm } from '../dialect/dialect-form.ts'
import { createRouteDialect } from '../http/route-dialect.ts'
import type { Env } from '../settings/env.ts'
import { identifyCaller } from './evolution-callers.ts'
import { describeError, toEvolutionErrorResponse } from './evolution-errors.ts'
import { createEvolutionFormat } from './evolution-events.ts'
import { evolutionRoutes } from './evolution-routes.ts'

const info = {
  title: 'The form of Evolution 2.3',
  description: '`{instance}` is the name of an instance, its handle, or its id.',
  credential: { type: 'apiKey', in: 'header', name: 'apikey' },
  errorSample: describeError(404, ['The "shop" instance does not exist']),
}

export const createEvolutionDialect = (env: Env): Dialect =>
  createRouteDialect(env, {
    name: 'evolution',
    prefix: '/evolution',
    format: createEvolutionFormat(env),
    form: new DialectForm('evolution'),
    routes: evolutionRoutes,
    info,
    identify: identifyCaller,
    refuse: toEvolutionErrorResponse,
  })
