// The runtime's own complaints about what callers do to their connections: each with its stack, as often as a stranger likes.

const COMPLAINT =
  /^workerd\/\S+ error: .*(disconnected:|invalid HTTP chunk size|invalid Content-Length|HTTP protocol error|premature EOF)/i

/** Tells, line after line, which ones are such a complaint or belong to one. */
export function callerFaults(): (line: string) => boolean {
  let belongs = false
  return (line) => {
    belongs = line.startsWith('stack: ') ? belongs : COMPLAINT.test(line)
    return belongs
  }
}
