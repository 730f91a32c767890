// What a page asks the gateway for: loading, there, or failed; asked again on demand or every so often while somebody looks.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<Value> {
  value: Value | undefined
  error: unknown
  reload(): Promise<void>
  set(value: Value): void
}

/** `every`: milliseconds between two askings, 0 for once. A hidden page asks nothing, and at once when it is seen again. */
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

  // Before the browser paints: of something else nothing old is shown, and nothing that was set since is taken back.
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
      // An answer that takes long is asked for less often.
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

/** Draws anew once a second, for what counts down. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
