// The state of a one-time link, read again while the page is open, until the link has ended.

import { GatewayError } from '@msgnet/client/errors.ts'
import type { LinkState } from '@msgnet/shared/contract/responses/link-responses.ts'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { LinkClient } from './link-client.ts'

const RELOAD_MS = 1500
/** After a failure the page asks less often. */
const RETRY_MS = 5000

export function useLinkState(client: LinkClient) {
  const [state, setState] = useState<LinkState>()
  const [hasEnded, setEnded] = useState(false)
  const [isOffline, setOffline] = useState(false)
  const changes = useRef(0)
  const applyState = useCallback((next: LinkState) => {
    changes.current++
    setState(next)
  }, [])
  const isFinal = hasEnded || state?.isUsed === true
  useEffect(() => {
    if (isFinal) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let closed = false
    const readState = async () => {
      const before = changes.current
      let waitMs = RELOAD_MS
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
  }, [client, isFinal])
  return { state, hasEnded, isOffline, applyState, endLink: () => setEnded(true) }
}
