// Loads data from the gateway for a page, with its states loading, loaded and failed, again on demand or at an interval while the page is visible.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<Value> {
  value: Value | undefined
  error: unknown
  reload(): Promise<void>
  set(value: Value): void
}

/** `every`: milliseconds between two loads, 0 for once. A hidden page loads nothing, and loads at once when it is visible again. */
export function useLoad<Value>(
  load: () => Promise<Value>,
  dependencies: unknown[],
  intervalMs = 0,
): Loaded<Value> {
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

  // Before the browser paints, so that no old data of another thing is shown, and no newer value is overwritten.
  useLayoutEffect(() => {
    if (turns.current > 0) setState({})
    void reload()
    return () => void turns.current++
  }, dependencies)

  useEffect(() => {
    if (!intervalMs) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let ended = false
    const reloadAndSchedule = async () => {
      timer = undefined
      const began = performance.now()
      await reload()
      // A slow answer is requested less often.
      scheduleReload(Math.max(intervalMs, (performance.now() - began) * 10))
    }
    const scheduleReload = (wait: number) => {
      if (!document.hidden && !ended) timer ??= setTimeout(reloadAndSchedule, wait)
    }
    const onVisible = () => {
      clearTimeout(timer)
      timer = undefined
      scheduleReload(0)
    }
    document.addEventListener('visibilitychange', onVisible)
    scheduleReload(intervalMs)
    return () => {
      ended = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [intervalMs, ...dependencies])

  const set = useCallback((value: Value) => {
    turns.current++
    setState({ value })
  }, [])
  return { value: state.value, error: state.error, reload, set }
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
