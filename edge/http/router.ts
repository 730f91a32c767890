// The router of the API and of its dialects, which looks a path without parameters up once and remembers the result.

import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Hono } from 'hono'
import { HonoBase } from 'hono/hono-base'
import { methodNotAllowed } from 'hono/method-not-allowed'
import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { EdgeEnv } from '../request/request-context.ts'
import { createFaultResponse } from './fault-response.ts'

export class FixedPathRouter<T> implements Router<T> {
  readonly name = 'FixedPathRouter'
  readonly #routes = new TrieRouter<T>()
  /** Declared paths without parameters. Only these are remembered, so callers cannot fill the memory. */
  readonly #fixed = new Set<string>()
  /** By path and then by method. */
  readonly #found = new Map<string, Map<string, Result<T>>>()

  add(method: string, path: string, handler: T): void {
    this.#routes.add(method, path, handler)
    if (!/[:*{?]/.test(path)) this.#fixed.add(path)
    this.#found.clear()
  }

  match(method: string, path: string): Result<T> {
    if (!this.#fixed.has(path)) return this.#routes.match(method, path)
    const byMethod = this.#found.get(path) ?? new Map<string, Result<T>>()
    const found = byMethod.get(method) ?? this.#routes.match(method, path)
    this.#found.set(path, byMethod.set(method, found))
    return found
  }
}

/** A Hono app with this router. Hono's own class imports three more routers, which would be in the script for Cloudflare. */
export const createRoutedApp = (): Hono<EdgeEnv> => new HonoBase<EdgeEnv>({ router: new FixedPathRouter() })

/** For a path that the app has for other methods only. */
export const refuseMethods = (app: Hono<EdgeEnv>) =>
  methodNotAllowed({
    app,
    onMethodNotAllowed(c, methods) {
      c.header('allow', methods.join(', '))
      return createFaultResponse(new Fault('method_not_allowed'), c)
    },
  })
