// The attributes of a refused message's ack, other than its code.

/** People, times and ids; and the code itself. */
const OMITTED_ATTRIBUTES = new Set(['id', 'class', 'from', 'to', 'participant', 'recipient', 't', 'error'])
/** A word of the protocol, and no number of a person. */
const WORD = /^(?!.*\d{7})[\w:.-]{1,40}$/

export function describeRefusal(attrs: Record<string, string>): { details?: string } {
  const details = Object.entries(attrs)
    .filter(([name, value]) => !OMITTED_ATTRIBUTES.has(name) && WORD.test(value))
    .map(([name, value]) => `${name}=${value}`)
  return details.length > 0 ? { details: details.join(' ') } : {}
}
