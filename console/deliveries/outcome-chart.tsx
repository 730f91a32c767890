// A bar chart of the latest events over time by their outcome.

import type { EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'
import { formatClock, formatClockSeconds, formatLocal, formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { type Bar, describeCounts, HighestCount, StackedBars, stackedOutcomes } from '../ui/stacked-bars.tsx'
import type { Outcome } from './event-filter.ts'

const words = texts.deliveries
const MAX_BARS = 48
const MIN_SPAN_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Times below the bars. */
const LABELS = 5

interface Props {
  events: readonly EventRecord[]
  /** At one webhook, or at all of them. */
  getOutcome: (event: EventRecord) => Outcome
  /** The address of the events between two times, in whole minutes. */
  toSpanHash: (from: string, to: string) => string
}

export function OutcomeChart({ events, getOutcome, toSpanHash }: Props) {
  const outcomes = events.map((event) => ({ at: Date.parse(event.createdAt), outcome: getOutcome(event) }))
  const counts = countOutcomes(outcomes)
  const bars = buildBars(outcomes, toSpanHash)
  return (
    <figure class="card stack tight">
      <figcaption class="line even">
        <h2>{words.chart}</h2>
        <span class="line small">
          {stackedOutcomes.map((outcome) => (
            <span key={outcome} class={`key ${outcome}`}>
              {words.outcomes[outcome]} <b class="count">{counts[outcome]}</b>
            </span>
          ))}
          <HighestCount bars={bars} />
        </span>
      </figcaption>
      <StackedBars bars={bars} names={words.outcomes} label={describeCounts(counts, words.outcomes)} />
      <div class="line even small quiet count">
        {chooseLabels(bars).map((at) => (
          <span key={at}>{formatBarTime(at, bars)}</span>
        ))}
      </div>
    </figure>
  )
}

interface TimedOutcome {
  at: number
  outcome: Outcome
}

function countOutcomes(outcomes: readonly TimedOutcome[]) {
  const counts = { delivered: 0, unaddressed: 0, pending: 0, dead: 0 }
  for (const { outcome } of outcomes) counts[outcome]++
  return counts
}

/** The newest is at the right, even if there are only a few. */
function buildBars(outcomes: readonly TimedOutcome[], toSpanHash: Props['toSpanHash']): Bar[] {
  const times = outcomes.map(({ at }) => at)
  const last = times.length > 0 ? Math.max(...times) : Date.now()
  const first = Math.min(...times, last - MIN_SPAN_MS)
  const step = Math.ceil((last - first + 1) / MAX_BARS)
  const barOutcomes: TimedOutcome[][] = Array.from({ length: MAX_BARS }, () => [])
  for (const each of outcomes) barOutcomes[Math.floor((each.at - first) / step)]?.push(each)
  return barOutcomes.map((ofBar, index) => {
    const at = first + index * step
    const end = at + step + MIN_SPAN_MS - 1
    const hash =
      ofBar.length > 0 ? toSpanHash(formatLocal(new Date(at)), formatLocal(new Date(end))) : undefined
    return { at, counts: countOutcomes(ofBar), hash }
  })
}

const chooseLabels = (bars: readonly Bar[]): number[] =>
  Array.from({ length: LABELS }, (_, label) =>
    Number(bars[Math.round((label * (bars.length - 1)) / (LABELS - 1))]?.at),
  )

/** As exact as the distance of the labels needs. */
function formatBarTime(at: number, bars: readonly Bar[]): string {
  const span = Number(bars.at(-1)?.at) - Number(bars[0]?.at)
  if (span < HOUR_MS) return formatClockSeconds(at)
  return span < DAY_MS ? formatClock(at) : formatMoment(at)
}
