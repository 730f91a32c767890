// What a page asks the gateway for: loading, there, or failed; asked again on demand or every so often while somebody looks.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<Value> {
  value: Value | undefined
  error: unknown
  reload(): Promise<void>
  set(value: Value): void
}

/** `every`: milliseconds between two askings, 0 for once. A hidden page asks nothing. */
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

  useEffect(() => {
    setState({})
    void reload()
    return () => void asked.current++
  }, about)

  useEffect(() => {
    if (!every) return
    let timer: ReturnType<typeof setTimeout>
    const again = async () => {
      const began = performance.now()
      if (!document.hidden) await reload()
      // An answer that takes long is asked for less often.
      timer = setTimeout(again, Math.max(every, (performance.now() - began) * 10))
    }
    timer = setTimeout(again, every)
    return () => clearTimeout(timer)
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
