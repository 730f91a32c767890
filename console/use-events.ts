// Streams the events of an instance: all listeners share one stream, which is opened again after the last event if it breaks: later each time, and at once when the gateway is back.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { ChangeEnvelope } from '@msgnet/shared/contract/change-envelopes.ts'
import type { Envelope } from '@msgnet/shared/contract/event-envelopes.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { gatewayWatch } from './gateway-watch.ts'

export type AnyEnvelope = Envelope | ChangeEnvelope
export type StreamState = 'opening' | 'live' | 'lost'

const FIRST_WAIT_MS = 2000
const MAX_WAIT_MS = 60_000

async function streamEvents(
  client: InstanceClient,
  signal: AbortSignal,
  onEvent: (envelope: AnyEnvelope) => void,
  onState: (state: StreamState) => void,
): Promise<void> {
  let after: number | undefined
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const stream = await client.stream({ signal, ...(after !== undefined && { after }) })
      onState('live')
      waitMs = FIRST_WAIT_MS
      for await (const envelope of stream) {
        // Presence is not stored, has 0, and is no place to go on from.
        if (envelope.seq > 0) after = envelope.seq
        onEvent(envelope)
      }
    } catch {
      // The stream broke or was closed here; the loop decides what follows.
    }
    if (signal.aborted) return
    onState('lost')
    await waitForGateway(waitMs)
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
  }
}

/** Until the time is over, or the gateway is back before. */
function waitForGateway(waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(end, waitMs)
    const unsubscribe = gatewayWatch.subscribe((recovered) => {
      if (recovered) end()
    })
  })
}

/** `onEvent` is called for every event from now on, until the page closes. */
export function useEvents(client: InstanceClient, onEvent: (envelope: AnyEnvelope) => void): StreamState {
  const [state, setState] = useState<StreamState>('opening')
  const latest = useRef(onEvent)
  latest.current = onEvent
  useEffect(() => {
    const controller = new AbortController()
    void streamEvents(client, controller.signal, (envelope) => latest.current(envelope), setState)
    return () => controller.abort()
  }, [client])
  return state
}
