// What the edge needs of its runtime, on Cloudflare: durable objects, the platform's `fetch`, and a libSQL server over HTTP.

import { waitUntil } from 'cloudflare:workers'
import { completeEnv } from '../choose-dialect.ts'
import type { CourierObject, LinkObject } from '../objects/objects.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { webCryptography } from '../runtime/web-cryptography.ts'
import type { Env, Settings } from '../settings/env.ts'
import { openServer, type Server } from '../store/database/server/server-database.ts'
import { getObject } from './location-hint.ts'

/** Their methods by RPC; streams and sockets come by `fetch`. */
type LinkRpc = Omit<LinkObject, 'uploadTransfer' | 'downloadTransfer'> & Rpc.DurableObjectBranded
type CourierRpc = Omit<CourierObject, 'openStream'> & Rpc.DurableObjectBranded

export interface Bindings extends Settings {
  DATABASE_URL: string | null | undefined
  DATABASE_TOKEN: string | null | undefined
  /** On one machine: reaches a plain-HTTP database there, which the public outbound network refuses. */
  DATABASE?: Fetcher
  /** On one machine: an outbound that may reach private addresses. */
  PRIVATE_OUTBOUND?: Fetcher
  /** The built pages. */
  ASSETS: Fetcher
  HOST_LINK: DurableObjectNamespace<LinkRpc>
  COURIER: DurableObjectNamespace<CourierRpc>
}

// The runtime passes the same bindings to each request of an isolate.
const envs = new WeakMap<Bindings, Env>()

export function toEnv(bindings: Bindings): Env {
  const existing = envs.get(bindings)
  if (existing) return existing
  const env: Env = completeEnv({
    ...bindings,
    // Without that outbound it cannot be reached.
    LABORATORY_URL: bindings.PRIVATE_OUTBOUND ? bindings.LABORATORY_URL : '',
    runtime: createRuntime(bindings),
  })
  envs.set(bindings, env)
  return env
}

function createRuntime(bindings: Bindings): Runtime {
  const { HOST_LINK, COURIER, DATABASE_URL: url, DATABASE_TOKEN: token } = bindings
  const getLinkStub = (hostId: string, region?: string) => getObject(HOST_LINK, hostId, region)
  // The runtime refuses private addresses by itself.
  const fetchOutbound = (outbound: Fetcher | undefined, to: string, init: RequestInit) =>
    (outbound ?? globalThis).fetch(to, { ...init, redirect: 'manual' })
  const server: Server = {
    url,
    token,
    waitUntil,
    fetch: (to, init) => fetchOutbound(to.startsWith('http:') ? bindings.DATABASE : undefined, to, init),
  }
  return {
    getLink: (hostId, region) => createLinkObject(getLinkStub(hostId, region)),
    getCourier: (instanceId, region) => createCourierObject(getObject(COURIER, instanceId, region)),
    fetch: (reach, to, init) =>
      fetchOutbound(reach === 'allowlisted' ? bindings.PRIVATE_OUTBOUND : undefined, to, init),
    decodeBody,
    async readPage(name) {
      const response = await bindings.ASSETS.fetch(`https://assets/${name}`)
      if (response.ok) return response.text()
      await response.body?.cancel()
      if (response.status === 404) return undefined
      throw new Error(`the page ${name} was not read: status ${response.status}`)
    },
    cryptography: webCryptography,
    openDatabase: (after) => openServer(server, after),
    async acceptLink(_context, hostId, tokenHash) {
      const headers = { upgrade: 'websocket', 'x-host': hostId, 'x-token-hash': tokenHash }
      const { webSocket } = await getLinkStub(hostId).fetch('https://host-link/', { headers })
      // A new response, because no headers can be added to the object's own.
      return new Response(null, { status: 101, webSocket })
    },
  }
}

/** The platform has decoded what it knows, and has no decoder for Zstandard. */
function decodeBody(encoding: string, body: ReadableStream<Uint8Array>) {
  if (encoding === 'gzip' || encoding === 'br') return body
  if (encoding !== 'deflate') return undefined
  return body.pipeThrough(new DecompressionStream('deflate') as TransformStream<Uint8Array, Uint8Array>)
}

/** Its methods by RPC; its transfers by `fetch`, which can be aborted. */
function createLinkObject(stub: DurableObjectStub<LinkRpc>): LinkObject {
  const formatTransferUrl = (name: string) => `https://host-link/transfers/${name}`
  return {
    dispatchAct: (...input) => stub.dispatchAct(...input) as ReturnType<LinkObject['dispatchAct']>,
    requestOutcome: (...input) => stub.requestOutcome(...input) as ReturnType<LinkObject['requestOutcome']>,
    isPending: (id) => stub.isPending(id),
    isLinked: () => stub.isLinked(),
    sendAssignments: (assignments) => stub.sendAssignments(assignments),
    watchLease: (host) => stub.watchLease(host),
    drainHost: () => stub.drainHost(),
    closeLink: (reason) => stub.closeLink(reason),
    async uploadTransfer(transfer, body, signal) {
      const response = await stub.fetch(formatTransferUrl(transfer), {
        method: 'PUT',
        body,
        ...(signal && { signal }),
      })
      await response.body?.cancel()
      return response.ok
    },
    async downloadTransfer(transfer, signal) {
      const { ok, body } = await stub.fetch(formatTransferUrl(transfer), { ...(signal && { signal }) })
      return ok ? (body ?? undefined) : undefined
    },
  }
}

function createCourierObject(stub: DurableObjectStub<CourierRpc>): CourierObject {
  return {
    deliverDue: (instanceId) => stub.deliverDue(instanceId),
    onEventsStored: (arrival) => stub.onEventsStored(arrival),
    onPresence: (batch) => stub.onPresence(batch),
    onSubscriptionChanged: (instanceId) => stub.onSubscriptionChanged(instanceId),
    countTest: () => stub.countTest(),
    replayEvents: (instanceId, request) =>
      stub.replayEvents(instanceId, request) as ReturnType<CourierObject['replayEvents']>,
    onTokenChanged: () => stub.onTokenChanged(),
    onInstanceDeleted: () => stub.onInstanceDeleted(),
    async openStream(listener) {
      const response = await stub.fetch('https://courier/', {
        method: 'POST',
        body: JSON.stringify(listener),
      })
      if (!response.body) throw new Error('the stream has no body')
      return response.body
    },
  }
}
