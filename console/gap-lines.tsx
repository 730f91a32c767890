// The gaps in the messages of an account: as facts of its device, and as lines of a chat where they were or are.

import type { Coverage, Gap } from '@msgnet/shared/contract/coverage.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useMemo } from 'preact/hooks'
import { formatMoment } from './formats.ts'
import { AT_END, placeGaps } from './place-gaps.ts'
import { texts } from './texts.ts'
import { Fact } from './ui/elements.tsx'

const words = texts.conversation
const { facts, gapStates, recovered: describeRecovered } = texts.instance

/** From when on every message is here, and what is missing of it. */
export const CoverageFacts = ({ coverage: { since, gaps } }: { coverage: Coverage }) => (
  <>
    <Fact name={facts.covered}>{formatMoment(since)}</Fact>
    {gaps.map(({ from, to, state, recovered }) => (
      <Fact key={to} name={facts.gap}>
        {formatMoment(from)} – {formatMoment(to)}: {gapStates[state]}{' '}
        {recovered > 0 && describeRecovered(recovered)}
      </Fact>
    ))}
  </>
)

/** `newest`: 0 if the messages end with the newest of the chat. Draws the gaps that are shown above a message, or below all. */
export function useGapLines(
  gaps: readonly Gap[],
  messages: readonly MessageRecord[],
  { hasEarlier, newest }: { hasEarlier: boolean; newest: number },
) {
  const hasLater = newest > 0
  const places = useMemo(
    () => placeGaps(gaps, { messages, hasEarlier, hasLater }),
    [gaps, messages, hasEarlier, hasLater],
  )
  return (messageid = AT_END) =>
    places.get(messageid)?.map(({ from, to, state }) => (
      <p key={to} class={`gap-line${state === 'filled' ? '' : ' missing'}`}>
        <strong>{words.gap(formatMoment(from), formatMoment(to))}</strong> {words.gapStates[state]}
      </p>
    ))
}
