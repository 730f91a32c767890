// The forms of uazapi: one accepts its requests at the root, the other one also responds and delivers in its words, at the root or below its prefix.

import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { ContractForm } from '../dialect/contract-dialect.ts'
import type { Dialect, Serve } from '../dialect/dialect.ts'
import type { DialectStore, EventFormat } from '../dialect/event-format.ts'
import { log } from '../observability/edge-log.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import type { Env } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { toDocumentBelow } from './document-below.ts'
import { addInstanceFields, buildFieldWrites } from './instance-fields.ts'
import { buildTokenWrites } from './sealed-tokens.ts'
import { tolerantApp, uazapiApp } from './uazapi-app.ts'
import { convertBody } from './uazapi-bodies.ts'
import { createUazapiFormat } from './uazapi-events.ts'
import {
  convertResponse,
  isOutsideApi,
  moveTokensToHeaders,
  requestsContract,
  requestWhole,
  routeRequest,
} from './uazapi-requests.ts'
import { convertEndings } from './uazapi-spelling.ts'

/** `COMPATIBILITY=tolerant`: requests of uazapi are accepted too. Responses and events stay those of the contract. */
export class TolerantForm extends ContractForm {
  readonly #env: Env
  #ownEnv: Env | undefined

  /** `env`: complete when the first request comes. */
  constructor(env: Env) {
    super()
    this.#env = env
  }

  /** Of requests in this form. */
  protected get env(): Env {
    this.#ownEnv ??= { ...this.#env, dialect: this }
    return this.#ownEnv
  }

  override serveRequest(
    request: Request,
    context: RequestContext,
    serveContract: Serve,
  ): Response | Promise<Response> {
    return routeRequest(tolerantApp, request, this.env, context, serveContract)
  }

  override convertBody(path: string, body: unknown): unknown {
    return convertBody(path, body)
  }
}

/** `COMPATIBILITY=uazapi` and `DIALECTS=uazapi`: requests, responses and events have the form of uazapi. */
export class UazapiDialect extends TolerantForm implements Dialect {
  readonly name = 'uazapi'
  readonly prefix = '/uazapi'
  override readonly storesTokens = true
  override readonly allowsUrlOptions = true
  override readonly documentPage = 'openapi.uazapi.json'
  override readonly ownFormat: StoredFormat
  override readonly format: EventFormat
  /** Below the prefix, once it was asked for. */
  #document: string | undefined

  constructor(env: Env, ownFormat: StoredFormat) {
    super(env)
    this.ownFormat = ownFormat
    this.format = createUazapiFormat(env)
  }

  override async serveRequest(
    original: Request,
    context: RequestContext,
    serveContract: Serve,
  ): Promise<Response> {
    const moved = moveTokensToHeaders(original)
    if (requestsContract(moved.headers)) return serveContract(moved, this.env)
    const request = requestWhole(moved)
    const response = await routeRequest(uazapiApp, request, this.env, context, serveContract)
    return convertResponse(request, response, (body) => this.#addFields(body))
  }

  /** What was requested is done by now, and its response says so without these texts too. */
  async #addFields(body: unknown): Promise<void> {
    try {
      await addInstanceFields(openStore(this.env), body)
    } catch (error) {
      log(this.env, 'warn', 'failed to read fields of instances', { error })
    }
  }

  serveBelow(request: Request, context: RequestContext, serveContract: Serve): Response | Promise<Response> {
    const url = new URL(request.url)
    if (isOutsideApi(url.pathname)) url.pathname = this.prefix + url.pathname
    const below = new Request(url, request)
    if (request.method === 'GET' && url.pathname === '/openapi.json' && !requestsContract(request.headers))
      return this.#serveDocument(below, context, serveContract)
    return this.serveRequest(below, context, serveContract)
  }

  /** That of the root is asked for each time, so that the limits on pages count. */
  async #serveDocument(request: Request, context: RequestContext, serveContract: Serve): Promise<Response> {
    const headers = new Headers(request.headers)
    for (const name of ['accept-encoding', 'if-none-match']) headers.delete(name)
    const response = await this.serveRequest(new Request(request, { headers }), context, serveContract)
    if (response.status !== 200) return response
    if (this.#document) await response.body?.cancel()
    else this.#document = JSON.stringify(toDocumentBelow(await response.json(), this.prefix, isOutsideApi))
    const own = new Headers(response.headers)
    for (const name of ['etag', 'content-length']) own.delete(name)
    return new Response(this.#document, { headers: own })
  }

  override convertBody(path: string, body: unknown): unknown {
    const { url } = (body ?? {}) as { url?: unknown }
    const converted = convertBody(path, body) as Record<string, unknown>
    // Without an id the URL says which webhook is deleted.
    const isNameless = path === '/webhook' && converted?.action === 'delete' && !converted.id
    return isNameless && typeof url === 'string' ? { ...converted, url } : converted
  }

  override requestsContract(headers: Headers): boolean {
    return requestsContract(headers)
  }

  override convertToolResult(value: unknown): unknown {
    return convertEndings(value)
  }

  override buildTokenWrites(store: DialectStore, instanceId: string, token: string): Promise<Statement[]> {
    return buildTokenWrites(this.env, store, instanceId, token)
  }

  override async buildCreationWrites(store: DialectStore, instanceId: string, body: object) {
    return buildFieldWrites(store, instanceId, body)
  }
}
