// The gaps in the messages of an account: read again while they change, and shown in a chat where they were or are.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Gap } from '@msgnet/shared/contract/coverage.ts'
import { useEffect, useState } from 'preact/hooks'
import { formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { useLoad } from '../ui/use-load.ts'
import type { AnyEnvelope } from '../use-events.ts'

const words = texts.conversation
const RELOAD_MS = 10_000
/** Late messages come one after the other. */
const PAUSE_MS = 500

/** The newest first. `latest`: the latest events of the stream, oldest first. */
export function useGaps(client: InstanceClient, live: boolean, latest: readonly AnyEnvelope[]): Gap[] {
  const [isChanging, setChanging] = useState(false)
  const { value = [], reload } = useLoad(
    async () => {
      const { gaps } = (await client.status()).coverage
      setChanging(gaps.some(({ state }) => state === 'open' || state === 'filling'))
      return gaps
    },
    [client],
    isChanging ? RELOAD_MS : 0,
  )
  const turn = [live, latest.findLast(changesGaps)?.seq].join()
  const [firstTurn] = useState(turn)
  useEffect(() => {
    if (turn === firstTurn) return
    const timer = setTimeout(reload, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [turn])
  return value
}

/** A new linking opens a gap, and late messages fill one. */
const changesGaps = (envelope: AnyEnvelope): boolean =>
  envelope.EventType === 'connection' || (envelope.EventType === 'messages' && envelope.message.late)

export const GapLines = ({ gaps = [] }: { gaps: readonly Gap[] | undefined }) =>
  gaps.map(({ from, to, state }) => (
    <p key={to} class={`gap-line${state === 'filled' ? '' : ' missing'}`}>
      <strong>{words.gap(formatMoment(from), formatMoment(to))}</strong> {words.gapStates[state]}
    </p>
  ))
