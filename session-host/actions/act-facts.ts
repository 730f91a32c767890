// Facts that an act carries: the request it belongs to, the kind of its instance, and the message it creates.

import { parseTraceparent } from '@msgnet/shared/trace-context.ts'
import type { Act } from '@msgnet/shared/wire/link-frames.ts'

/** For the log: the request that the act belongs to, if the edge named it. */
export const describeRequest = ({ requestId, traceparent = '' }: Act) => ({
  requestId,
  trace: parseTraceparent(traceparent)?.id,
})

export function readKind(input: unknown): 'msgnet' | 'calls' {
  const kind = typeof input === 'object' && input && 'kind' in input ? input.kind : undefined
  return kind === 'calls' ? 'calls' : 'msgnet'
}

/** Empty for an act that creates no message. */
export function readMessageid(input: unknown): string {
  const messageid = typeof input === 'object' && input && 'messageid' in input ? input.messageid : undefined
  return typeof messageid === 'string' ? messageid : ''
}
