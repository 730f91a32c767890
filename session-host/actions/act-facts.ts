// What an act says of itself: who asks for it, for what kind of instance, and which message it makes.

import { readTraceparent } from '../../shared/trace.ts'
import type { Act } from '../../shared/wire/frames.ts'

/** For the log: which request it belongs to, if the edge has said so. */
export const askedBy = ({ requestId, traceparent = '' }: Act) => ({
  requestId,
  trace: readTraceparent(traceparent)?.id,
})

export function kindOf(input: unknown): 'msgnet' | 'calls' {
  const kind = typeof input === 'object' && input && 'kind' in input ? input.kind : undefined
  return kind === 'calls' ? 'calls' : 'msgnet'
}

/** Empty for what makes none. */
export function messageidOf(input: unknown): string {
  const messageid = typeof input === 'object' && input && 'messageid' in input ? input.messageid : undefined
  return typeof messageid === 'string' ? messageid : ''
}
