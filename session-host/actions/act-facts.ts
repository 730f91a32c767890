// Facts that an act carries: the request it belongs to, the kind of its instance, and the message it creates.

import { readTraceparent } from '../../shared/trace.ts'
import type { Act } from '../../shared/wire/frames.ts'

/** For the log: the request that the act belongs to, if the edge named it. */
export const askedBy = ({ requestId, traceparent = '' }: Act) => ({
  requestId,
  trace: readTraceparent(traceparent)?.id,
})

export function kindOf(input: unknown): 'msgnet' | 'calls' {
  const kind = typeof input === 'object' && input && 'kind' in input ? input.kind : undefined
  return kind === 'calls' ? 'calls' : 'msgnet'
}

/** Empty for an act that creates no message. */
export function messageidOf(input: unknown): string {
  const messageid = typeof input === 'object' && input && 'messageid' in input ? input.messageid : undefined
  return typeof messageid === 'string' ? messageid : ''
}
