// Loads data from the gateway for a page, with its states loading, loaded and failed, again on demand or at an interval while the page is visible.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { gatewayWatch, isAbsenceError } from '../gateway-watch.ts'

interface LoadState<Value> {
  value?: Value
  error?: unknown
  /** The last attempt found the gateway or its database away. */
  isStale?: true
}

export type Loaded<Value> = ReturnType<typeof useLoad<Value>>

/** `intervalMs`: between two loads, 0 for one load. A hidden page loads nothing, and loads at once when it is visible again. */
export function useLoad<Value>(load: () => Promise<Value>, dependencies: unknown[], intervalMs = 0) {
  const [state, setState] = useState<LoadState<Value>>({})
  const turns = useRef(0)
  const latest = useRef(load)
  latest.current = load

  const reload = useCallback(async () => {
    const turn = ++turns.current
    try {
      const value = await latest.current()
      if (turn === turns.current) setState({ value })
    } catch (error) {
      if (turn === turns.current) setState((before) => rememberError(before, error))
    }
  }, [])

  // Before the browser paints, so that the data of other dependencies is not shown, and no newer value is overwritten.
  useLayoutEffect(() => {
    if (turns.current > 0) setState({})
    void reload()
    return () => void turns.current++
  }, dependencies)

  const isAway = state.isStale === true
  usePolling(reload, isAway ? 0 : intervalMs, [...dependencies, isAway])
  useEffect(() => (isAway ? awaitGateway(reload) : undefined), [state])

  const set = useCallback((value: Value) => {
    turns.current++
    setState({ value })
  }, [])
  return { value: state.value, error: state.error, isStale: isAway, reload, set }
}

/** While the gateway is away the bar at the top says so, and the page keeps what it has until the gateway is back. */
function rememberError<Value>(before: LoadState<Value>, error: unknown): LoadState<Value> {
  const { isStale: _, error: __, ...value } = before
  return isAbsenceError(error) ? { ...value, isStale: true } : { ...value, error }
}

const RECOVERED_WAIT_MS = 1000

/** Calls `reload` once the gateway is back, which it may be already, by the response to another request. */
function awaitGateway(reload: () => Promise<void>): () => void {
  if (gatewayWatch.state.absent)
    return gatewayWatch.subscribe((recovered) => {
      if (recovered) void reload()
    })
  const timer = setTimeout(reload, RECOVERED_WAIT_MS)
  return () => clearTimeout(timer)
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
