// Loads data from the gateway for a page, with its states loading, loaded and failed, again on demand or at an interval while the page is visible.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Loaded<Value> = ReturnType<typeof useLoad<Value>>

/** `intervalMs`: between two loads, 0 for one load. A hidden page loads nothing, and loads at once when it is visible again. */
export function useLoad<Value>(load: () => Promise<Value>, dependencies: unknown[], intervalMs = 0) {
  const [state, setState] = useState<{ value?: Value; error?: unknown }>({})
  const turns = useRef(0)
  const latest = useRef(load)
  latest.current = load

  const reload = useCallback(async () => {
    const turn = ++turns.current
    try {
      const value = await latest.current()
      if (turn === turns.current) setState({ value })
    } catch (error) {
      if (turn === turns.current) setState((before) => ({ ...before, error }))
    }
  }, [])

  // Before the browser paints, so that the data of other dependencies is not shown, and no newer value is overwritten.
  useLayoutEffect(() => {
    if (turns.current > 0) setState({})
    void reload()
    return () => void turns.current++
  }, dependencies)

  usePolling(reload, intervalMs, dependencies)

  const set = useCallback((value: Value) => {
    turns.current++
    setState({ value })
  }, [])
  return { value: state.value, error: state.error, reload, set }
}

/** Calls `reload` at this interval while the page is visible, and at once when it becomes visible again. */
function usePolling(reload: () => Promise<void>, intervalMs: number, dependencies: unknown[]): void {
  useEffect(() => {
    if (!intervalMs) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let ended = false
    const reloadAndSchedule = async () => {
      timer = undefined
      const startedAt = performance.now()
      await reload()
      // While responses are slow there are fewer requests.
      scheduleReload(Math.max(intervalMs, (performance.now() - startedAt) * 10))
    }
    const scheduleReload = (waitMs: number) => {
      if (!document.hidden && !ended) timer ??= setTimeout(reloadAndSchedule, waitMs)
    }
    const onVisibilityChange = () => {
      clearTimeout(timer)
      timer = undefined
      scheduleReload(0)
    }
    document.addEventListener('visibilitychange', onVisibilityChange)
    scheduleReload(intervalMs)
    return () => {
      ended = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisibilityChange)
    }
  }, [intervalMs, ...dependencies])
}

/** Draws again once a second, for countdowns. */
export function useNow(intervalMs = 1000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}
