// Streams the events of an instance: all listeners share one stream, which is opened again after the last event if it breaks.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../client/instance-client.ts'
import type { ChangeEnvelope } from '../shared/contract/change-envelopes.ts'
import type { Envelope } from '../shared/contract/event-envelopes.ts'

export type AnyEnvelope = Envelope | ChangeEnvelope
export type StreamState = 'opening' | 'live' | 'lost'

const RECONNECT_MS = 2000

async function streamEvents(
  client: InstanceClient,
  signal: AbortSignal,
  onEvent: (envelope: AnyEnvelope) => void,
  onState: (state: StreamState) => void,
): Promise<void> {
  let after: number | undefined
  while (!signal.aborted) {
    try {
      const stream = await client.stream({ signal, ...(after !== undefined && { after }) })
      onState('live')
      for await (const envelope of stream) {
        after = envelope.seq
        onEvent(envelope)
      }
    } catch {
      // The stream broke or was closed here; the loop decides what follows.
    }
    if (signal.aborted) return
    onState('lost')
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
  }
}

/** `heard` is called for every event from now on, until the page closes. */
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
