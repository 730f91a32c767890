// The form of the official Cloud API, below `/graph`: its messages, and its webhooks.

import type { Dialect, Serve } from '../dialect/dialect.ts'
import type { DialectContext } from '../http/call-contract.ts'
import { createDialectApp, serveIdentified } from '../http/dialect-app.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import type { Env } from '../settings/env.ts'
import { toCloudErrorResponse } from './cloud-errors.ts'
import { cloudFormat } from './cloud-events.ts'
import { CloudForm } from './cloud-form.ts'
import { identifyCaller } from './cloud-instances.ts'
import { cloudRoutes } from './cloud-routes.ts'
import { readTemplates } from './cloud-templates.ts'

const PREFIX = '/graph'

const app = createDialectApp(cloudRoutes, toCloudErrorResponse, {
  title: 'The form of the official Cloud API',
  description:
    'A version, such as `/v23.0`, may stand before each path. `{pn}`, `{waba}` and `{id}` are the handle of an instance, its id, or the digits of its account.',
  prefix: PREFIX,
  credential: { type: 'http', scheme: 'bearer' },
  errorSample: {
    error: {
      message: '(#131009) Parameter value is not valid',
      type: 'OAuthException',
      code: 131009,
      error_data: { messaging_product: 'whatsapp', details: 'to must be a number.' },
      fbtrace_id: 'A1b2C3',
    },
  },
})

const form = new CloudForm()

/** A version of the API that clients were made for, in front of each path. All of them are served alike. */
const VERSION = /^\/v\d+(\.\d+)?(?=\/|$)/

export class CloudDialect implements Dialect {
  readonly name = 'cloud'
  readonly prefix = PREFIX
  readonly storesTokens = false
  readonly format = cloudFormat
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
    // A wrong setting stops the start.
    readTemplates(env)
  }

  async serveBelow(original: Request, context: RequestContext, serveContract: Serve): Promise<Response> {
    const url = new URL(original.url)
    url.pathname = url.pathname.replace(VERSION, '').replace(/(?<=.)\/$/, '') || '/'
    const ownContext: DialectContext = { ...context, serveContract, form }
    return serveIdentified(app, new Request(url, original), this.#env, ownContext, identifyCaller)
  }
}
