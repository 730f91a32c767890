// What the edge needs of its runtime, on Cloudflare: durable objects, the platform's `fetch`, and a libSQL server over HTTP.

import { waitUntil } from 'cloudflare:workers'
import type { Env, Settings } from '../env.ts'
import type { CourierObject, LinkObject } from '../objects.ts'
import type { Runtime } from '../runtime.ts'
import { openServer, type Server } from '../store/database/server/server-database.ts'
import { webCryptography } from '../web-cryptography.ts'
import { placeObject } from './location.ts'

/** Their methods by RPC; streams and sockets come by `fetch`. */
type LinkRpc = Omit<LinkObject, 'upload' | 'download'> & Rpc.DurableObjectBranded
type CourierRpc = Omit<CourierObject, 'stream'> & Rpc.DurableObjectBranded

export interface Bindings extends Settings {
  DATABASE_URL: string | null | undefined
  DATABASE_TOKEN: string | null | undefined
  /** On one machine: reaches a plain-HTTP database there, which the public outbound network refuses. */
  DATABASE?: Fetcher
  /** On one machine: an outbound that may reach private addresses. */
  PRIVATE_OUTBOUND?: Fetcher
  HOST_LINK: DurableObjectNamespace<LinkRpc>
  COURIER: DurableObjectNamespace<CourierRpc>
}

// The runtime passes the same bindings to each request of an isolate.
const made = new WeakMap<Bindings, Env>()

export function toEnv(bindings: Bindings): Env {
  const known = made.get(bindings)
  if (known) return known
  const env = {
    ...bindings,
    // Without that outbound it cannot be reached.
    LABORATORY_URL: bindings.PRIVATE_OUTBOUND ? bindings.LABORATORY_URL : '',
    runtime: makeRuntime(bindings),
  }
  made.set(bindings, env)
  return env
}

function makeRuntime(bindings: Bindings): Runtime {
  const { HOST_LINK, COURIER, DATABASE_URL: url, DATABASE_TOKEN: token } = bindings
  const linkTo = (hostId: string, region?: string) => placeObject(HOST_LINK, hostId, region)
  // The runtime refuses private addresses by itself.
  const send = (outbound: Fetcher | undefined, to: string, init: RequestInit) =>
    (outbound ?? globalThis).fetch(to, { ...init, redirect: 'manual' })
  const server: Server = {
    ...{ url, token, waitUntil },
    fetch: (to, init) => send(to.startsWith('http:') ? bindings.DATABASE : undefined, to, init),
  }
  return {
    link: (hostId, region) => linkObject(linkTo(hostId, region)),
    courier: (instanceId, region) => courierObject(placeObject(COURIER, instanceId, region)),
    fetch: (reach, to, init) =>
      send(reach === 'allowlisted' ? bindings.PRIVATE_OUTBOUND : undefined, to, init),
    cryptography: webCryptography,
    openDatabase: (after) => openServer(server, after),
    async acceptLink(_context, hostId, tokenHash) {
      const headers = { upgrade: 'websocket', 'x-host': hostId, 'x-token-hash': tokenHash }
      const { webSocket } = await linkTo(hostId).fetch('https://host-link/', { headers })
      // A new response, because no headers can be added to the object's own.
      return new Response(null, { status: 101, webSocket })
    },
  }
}

/** Its methods by RPC; its transfers by `fetch`, which can be aborted. */
function linkObject(stub: DurableObjectStub<LinkRpc>): LinkObject {
  const transferUrl = (name: string) => `https://host-link/transfers/${name}`
  return {
    act: (...given) => stub.act(...given) as ReturnType<LinkObject['act']>,
    recall: (act) => stub.recall(act) as ReturnType<LinkObject['recall']>,
    isPending: (id) => stub.isPending(id),
    isLinked: () => stub.isLinked(),
    hold: (assignments) => stub.hold(assignments),
    watchLease: (host) => stub.watchLease(host),
    drain: () => stub.drain(),
    dismiss: (why) => stub.dismiss(why),
    async upload(transfer, body, signal) {
      const answer = await stub.fetch(transferUrl(transfer), {
        method: 'PUT',
        body,
        ...(signal && { signal }),
      })
      await answer.body?.cancel()
      return answer.ok
    },
    async download(transfer, signal) {
      const { ok, body } = await stub.fetch(transferUrl(transfer), { ...(signal && { signal }) })
      return ok ? (body ?? undefined) : undefined
    },
  }
}

function courierObject(stub: DurableObjectStub<CourierRpc>): CourierObject {
  return {
    work: (instanceId) => stub.work(instanceId),
    arrived: (instanceId, handed) => stub.arrived(instanceId, handed),
    subscriptionChanged: (instanceId) => stub.subscriptionChanged(instanceId),
    countTest: () => stub.countTest(),
    replay: (instanceId, request) => stub.replay(instanceId, request) as ReturnType<CourierObject['replay']>,
    tokenChanged: () => stub.tokenChanged(),
    forget: () => stub.forget(),
    async stream(listener) {
      const answer = await stub.fetch('https://courier/', { method: 'POST', body: JSON.stringify(listener) })
      if (!answer.body) throw new Error('the stream has no body')
      return answer.body
    },
  }
}
