// Loads data from the gateway for a page, with its states loading, loaded and failed, again on demand or at an interval while the page is visible.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<Value> {
  value: Value | undefined
  error: unknown
  reload(): Promise<void>
  set(value: Value): void
}

/** `every`: milliseconds between two loads, 0 for once. A hidden page loads nothing, and loads at once when it is visible again. */
export function useLoad<Value>(ask: () => Promise<Value>, about: unknown[], every = 0): Loaded<Value> {
  const [state, setState] = useState<{ value?: Value; error?: unknown }>({})
  const asked = useRef(0)
  const latest = useRef(ask)
  latest.current = ask

  const reload = useCallback(async () => {
    const turn = ++asked.current
    try {
      const value = await latest.current()
      if (turn === asked.current) setState({ value })
    } catch (error) {
      if (turn === asked.current) setState((before) => ({ ...before, error }))
    }
  }, [])

  // Before the browser paints, so that no old data of another thing is shown, and no newer value is overwritten.
  useLayoutEffect(() => {
    if (asked.current > 0) setState({})
    void reload()
    return () => void asked.current++
  }, about)

  useEffect(() => {
    if (!every) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let ended = false
    const again = async () => {
      timer = undefined
      const began = performance.now()
      await reload()
      // A slow answer is requested less often.
      later(Math.max(every, (performance.now() - began) * 10))
    }
    const later = (wait: number) => {
      if (!document.hidden && !ended) timer ??= setTimeout(again, wait)
    }
    const shown = () => {
      clearTimeout(timer)
      timer = undefined
      later(0)
    }
    document.addEventListener('visibilitychange', shown)
    later(every)
    return () => {
      ended = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', shown)
    }
  }, [every, ...about])

  const set = useCallback((value: Value) => {
    asked.current++
    setState({ value })
  }, [])
  return { value: state.value, error: state.error, reload, set }
}

/** Draws again once a second, for countdowns. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
