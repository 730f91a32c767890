// Aborts a request that takes too long, or whose answer stays silent for too long.

/** `outer` aborts it too. Its timer is stopped when the request ends. */
export function createTimeLimit(ms: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  const abort = () => controller.abort(outer?.reason)
  const startTimer = () => setTimeout(() => controller.abort(new Error(`no response within ${ms} ms`)), ms)
  let timer = startTimer()
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    /** The time begins anew. */
    restart() {
      clearTimeout(timer)
      timer = startTimer()
    },
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}
