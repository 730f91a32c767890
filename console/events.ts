// Streams the events of an instance: all listeners share one stream, which is opened again after the last event if it breaks.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../client/instance.ts'
import type { ChangeEnvelope } from '../shared/contract/change-envelopes.ts'
import type { Envelope } from '../shared/contract/envelopes.ts'

export type AnyEnvelope = Envelope | ChangeEnvelope
export type StreamState = 'opening' | 'live' | 'lost'

const PAUSE_MS = 2000

async function follow(
  client: InstanceClient,
  signal: AbortSignal,
  heard: (envelope: AnyEnvelope) => void,
  told: (state: StreamState) => void,
): Promise<void> {
  let after: number | undefined
  while (!signal.aborted) {
    try {
      const stream = await client.stream({ signal, ...(after !== undefined && { after }) })
      told('live')
      for await (const envelope of stream) {
        after = envelope.seq
        heard(envelope)
      }
    } catch {
      // The stream broke or was closed here; the loop decides what follows.
    }
    if (signal.aborted) return
    told('lost')
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** `heard` is called for every event from now on, until the page closes. */
export function useEvents(client: InstanceClient, heard: (envelope: AnyEnvelope) => void): StreamState {
  const [state, setState] = useState<StreamState>('opening')
  const latest = useRef(heard)
  latest.current = heard
  useEffect(() => {
    const ending = new AbortController()
    void follow(client, ending.signal, (envelope) => latest.current(envelope), setState)
    return () => ending.abort()
  }, [client])
  return state
}
