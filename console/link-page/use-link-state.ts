// The state of a one-time link, read again while the page is open, until the link has ended.

import { GatewayError } from '@msgnet/client/errors.ts'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

const RELOAD_MS = 1500

interface Options<State> {
  everyMs?: number
  /** Then it is not read again. */
  isFinal?: (state: State) => boolean
}

/** After a failure the page asks less often. */
const RETRY_MS = 5000

export function useLinkState<State>(
  client: { readState(): Promise<State> },
  { everyMs = RELOAD_MS, isFinal: isLast }: Options<State> = {},
) {
  const [state, setState] = useState<State>()
  const [hasEnded, setEnded] = useState(false)
  const [isOffline, setOffline] = useState(false)
  const changes = useRef(0)
  const applyState = useCallback((next: State) => {
    changes.current++
    setState(next)
  }, [])
  const isFinal = hasEnded || (state !== undefined && isLast?.(state) === true)
  useEffect(() => {
    if (isFinal) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let closed = false
    const readState = async () => {
      const before = changes.current
      let waitMs = everyMs
      try {
        const next = await client.readState()
        // An answer to a step of the person is newer than one that was asked for before it.
        if (!closed && before === changes.current) setState(next)
        if (!closed) setOffline(false)
      } catch (error) {
        waitMs = RETRY_MS
        if (closed) return
        if (error instanceof GatewayError && error.status === 401) setEnded(true)
        else setOffline(true)
      }
      if (!closed) timer = setTimeout(readState, waitMs)
    }
    void readState()
    return () => {
      closed = true
      clearTimeout(timer)
    }
  }, [client, isFinal, everyMs])
  return { state, hasEnded, isOffline, applyState, endLink: () => setEnded(true) }
}
