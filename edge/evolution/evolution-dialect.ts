// The form of Evolution 2.3, below `/evolution`: its routes, and its webhooks.

import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { Dialect, Serve } from '../dialect/dialect.ts'
import type { EventFormat } from '../dialect/event-format.ts'
import type { DialectContext } from '../http/call-contract.ts'
import { createDialectApp } from '../http/dialect-app.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import type { Env } from '../settings/env.ts'
import { identifyCaller } from './evolution-callers.ts'
import { toEvolutionErrorResponse } from './evolution-errors.ts'
import { createEvolutionFormat } from './evolution-events.ts'
import { EvolutionForm } from './evolution-form.ts'
import { evolutionRoutes } from './evolution-routes.ts'

const PREFIX = '/evolution'

const app = createDialectApp(evolutionRoutes, toEvolutionErrorResponse, {
  title: 'The form of Evolution 2.3',
  description: '`{instance}` is the name of an instance, its handle, or its id.',
  prefix: PREFIX,
  credential: { type: 'apiKey', in: 'header', name: 'apikey' },
  errorSample: {
    status: 404,
    error: 'Not Found',
    response: { message: ['The "shop" instance does not exist'] },
  },
})
const form = new EvolutionForm()

export class EvolutionDialect implements Dialect {
  readonly name = 'evolution' satisfies StoredFormat
  readonly prefix = PREFIX
  readonly storesTokens = false
  readonly format: EventFormat
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
    this.format = createEvolutionFormat(env)
  }

  async serveBelow(original: Request, context: RequestContext, serveContract: Serve): Promise<Response> {
    const url = new URL(original.url)
    url.pathname = url.pathname.replace(/(?<=.)\/$/, '')
    const request = await identifyCaller(this.#env, new Request(url, original))
    const ownContext: DialectContext = { ...context, serveContract, form }
    return app.fetch(request, this.#env, ownContext)
  }
}
