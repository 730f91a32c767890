// The entry for the Workers runtime: the API, the tick, the metrics, and the two kinds of durable objects.

import { WorkerEntrypoint } from 'cloudflare:workers'
import { app } from '../api-app.ts'
import { serveOperator } from '../operator/operator-routes.ts'
import { runTick } from '../operator/run-tick.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import { type Bindings, toEnv } from './cloudflare-runtime.ts'

export { Courier, HostLink } from './durable-objects.ts'

/** A socket that `npm start` opens when it runs this engine. On Cloudflare nothing reaches it. */
export class Operator extends WorkerEntrypoint<Bindings> {
  override fetch(request: Request): Promise<Response> {
    return serveOperator(request, toEnv(this.env))
  }
}

export default {
  fetch(request, bindings, execution) {
    const env = toEnv(bindings)
    const context = createContext(request, execution)
    return env.dialects.serveRequest(
      request,
      context,
      (contractRequest, ownEnv = env, ownContext = context) => app.fetch(contractRequest, ownEnv, ownContext),
    )
  },
  scheduled: (_event, bindings) => runTick(toEnv(bindings)),
} satisfies ExportedHandler<Bindings>

const createContext = ({ cf, url }: Request, execution: ExecutionContext): RequestContext => ({
  peerAddress: (cf as { clientIp?: string } | undefined)?.clientIp ?? '',
  target: url,
  waitUntil: (work) => execution.waitUntil(work),
  passThroughOnException: () => execution.passThroughOnException(),
  props: execution.props,
})
