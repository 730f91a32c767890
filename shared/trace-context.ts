// Trace context of the W3C (https://www.w3.org/TR/trace-context/): programs pass it on in `traceparent`.

/** The request that caused an event, as the event stores it. */
export interface Cause {
  requestId: string
  traceparent: string
}

/** Undefined unless both fields are known. */
export const toCause = ({
  requestId,
  traceparent,
}: Partial<Record<keyof Cause, string | null | undefined>>) =>
  requestId && traceparent ? { requestId, traceparent } : undefined

export interface Trace {
  /** 32 hex digits, the same in every program of the trace. */
  id: string
  /** 2 hex digits, passed on unchanged. */
  flags: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NONE = /^0+$/

/** Undefined if it is invalid by the specification. Of an unknown version only the fields of version 00 are read. */
export function parseTraceparent(text: string): Trace | undefined {
  const [, version = '', id = '', parent = '', flags = '', more] = TRACEPARENT.exec(text) ?? []
  if (!version || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NONE.test(id) || NONE.test(parent)) return undefined
  return { id, flags }
}

/** A trace that begins here, not marked for recording. */
export const beginTrace = (): Trace => ({ id: crypto.randomUUID().replaceAll('-', ''), flags: '00' })

/** The header for the next program, with a new span of this trace. */
export const formatTraceparent = ({ id, flags }: Trace): string =>
  `00-${id}-${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}-${flags}`
