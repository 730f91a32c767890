// Filters the runtime's error lines about broken connections of callers, because any caller can cause as many as it likes.

const CALLER_FAULT =
  /^workerd\/\S+ error: .*(disconnected:|invalid HTTP chunk size|invalid Content-Length|HTTP protocol error|premature EOF)/i

/** Makes a filter that answers, line by line, whether a line belongs to such an error. */
export function createFaultFilter(): (line: string) => boolean {
  let belongs = false
  return (line) => {
    belongs = line.startsWith('stack: ') ? belongs : CALLER_FAULT.test(line)
    return belongs
  }
}
