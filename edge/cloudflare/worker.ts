// The entry for the Workers runtime: the API, the tick, the metrics, and the two kinds of durable objects.

import { WorkerEntrypoint } from 'cloudflare:workers'
import { app } from '../app.ts'
import { served } from '../family/serving.ts'
import { answerOperator } from '../operations.ts'
import type { RequestContext } from '../runtime.ts'
import { tick } from '../tick.ts'
import { type Bindings, toEnv } from './runtime.ts'

export { Courier, HostLink } from './objects.ts'

/** A socket that `npm start` opens when it runs this engine. On Cloudflare nothing reaches it. */
export class Operator extends WorkerEntrypoint<Bindings> {
  override fetch(request: Request): Promise<Response> {
    return answerOperator(request, toEnv(this.env))
  }
}

export default {
  fetch(request, bindings, execution) {
    const env = toEnv(bindings)
    const context = contextOf(request, execution)
    return served(request, env, context, (asked) => app.fetch(asked, env, context))
  },
  scheduled: (_event, bindings) => tick(toEnv(bindings)),
} satisfies ExportedHandler<Bindings>

const contextOf = ({ cf }: Request, execution: ExecutionContext): RequestContext => ({
  peer: (cf as { clientIp?: string } | undefined)?.clientIp ?? '',
  waitUntil: (work) => execution.waitUntil(work),
  passThroughOnException: () => execution.passThroughOnException(),
  props: execution.props,
})
