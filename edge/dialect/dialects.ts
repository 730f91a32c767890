// The forms that this gateway has side by side: that of its root, and dialects, each below its prefix.

import type { DialectName, StoredFormat, WebhookFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import { instanceTokens } from '@msgnet/shared/db/sealed-tables.ts'
import { sql } from 'drizzle-orm'
import type { RequestContext } from '../runtime/runtime.ts'
import { contractFormat } from './contract-dialect.ts'
import type { Dialect, RequestForm, Serve } from './dialect.ts'
import type { DialectStore, EventFormat } from './event-format.ts'

export class Dialects {
  readonly #root: RequestForm
  readonly #served: readonly Dialect[]
  /** By the name that a webhook has. */
  readonly #formats: ReadonlyMap<string, EventFormat>

  constructor(root: RequestForm, served: readonly Dialect[]) {
    this.#root = root
    this.#served = served
    const formats = [contractFormat, root.format, ...served.map(({ format }) => format)]
    this.#formats = new Map(formats.map((format) => [format.name, format]))
  }

  /** Those that a caller or a webhook can use, the contract left out. */
  get names(): DialectName[] {
    return [...this.#formats.keys()].filter((name): name is DialectName => name !== 'contract')
  }

  /** The form of the root, in which webhooks get events that name no other. */
  get rootFormat(): EventFormat {
    return this.#root.format
  }

  /** Undefined if the gateway does not serve it now. */
  findFormat(stored: string): EventFormat | undefined {
    return stored === '' ? this.#root.format : this.#formats.get(stored)
  }

  /** The name of a stored format, for callers. */
  nameFormat(stored: StoredFormat): WebhookFormat {
    return stored || this.#root.format.name
  }

  /** As it is stored: the form of the root has no name there, so that it can be named without being another one. */
  toStored(name: WebhookFormat): StoredFormat {
    return name === this.#root.format.name ? '' : name
  }

  /** The stored names of formats that have something as events which the contract has not. */
  listFormats(what: 'showsCodes' | 'showsResults'): StoredFormat[] {
    return [...this.#formats.values()].filter((format) => format[what]).map(({ name }) => this.toStored(name))
  }

  serveRequest(
    request: Request,
    context: RequestContext,
    serveContract: Serve,
  ): Response | Promise<Response> {
    // Most requests are of the contract, and searching the text for a prefix costs less than parsing a URL.
    const mayBeBelow = this.#served.some(({ prefix }) => context.target.includes(prefix))
    // No form has a route of these, and the runtime copies no request of them.
    if (mayBeBelow && !/^(TRACE|CONNECT|TRACK)$/i.test(request.method)) {
      const url = new URL(request.url)
      const dialect = this.#served.find(({ prefix }) => isBelow(url.pathname, prefix))
      if (dialect) {
        url.pathname = url.pathname.slice(dialect.prefix.length) || '/'
        return dialect.serveBelow(new Request(url, request), context, serveContract)
      }
    }
    return this.#root.serveRequest(request, context, serveContract)
  }

  /** Deletes at most so many stored tokens, if no form uses them: they are from a time when another setting was chosen. Returns how many. */
  async purgeTokens(store: DialectStore, maxRows: number): Promise<number> {
    if (this.#root.storesTokens || this.#served.some(({ storesTokens }) => storesTokens)) return 0
    const some = sql`rowid in (select rowid from ${instanceTokens} limit ${maxRows})`
    const { rowsAffected } = await store.db.delete(instanceTokens).where(some)
    return rowsAffected
  }
}

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
