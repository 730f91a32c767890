// Trace context of the W3C (https://www.w3.org/TR/trace-context/): whose work this is, told from program to program in `traceparent`.

/** A caller's request, as what came of it remembers it. */
export interface Cause {
  requestId: string
  traceparent: string
}

/** Undefined where it is not known, or only half. */
export const causeIn = ({
  requestId,
  traceparent,
}: Partial<Record<keyof Cause, string | null | undefined>>) =>
  requestId && traceparent ? { requestId, traceparent } : undefined

export interface Trace {
  /** 32 hex digits: the same in every program that a piece of work passes. */
  id: string
  /** 2 hex digits, passed on as they came. */
  flags: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NONE = /^0+$/

/** Undefined for what the specification calls invalid. A version that we do not know is read as far as version 00 goes. */
export function readTraceparent(text: string): Trace | undefined {
  const [, version = '', id = '', parent = '', flags = '', more] = TRACEPARENT.exec(text) ?? []
  if (!version || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NONE.test(id) || NONE.test(parent)) return undefined
  return { id, flags }
}

/** One that begins here; nobody has asked for it to be recorded. */
export const beginTrace = (): Trace => ({ id: crypto.randomUUID().replaceAll('-', ''), flags: '00' })

/** What the next program is told: a step of ours in this trace. */
export const traceparentOf = ({ id, flags }: Trace): string =>
  `00-${id}-${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}-${flags}`
