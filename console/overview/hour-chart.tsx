// The events of the last day by hour and outcome: as bars, and as a table for those who read figures.

import type { Overview } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { formatClock, formatMoment, formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { HighestCount, stackedOutcomes as outcomes, StackedBars } from '../ui/stacked-bars.tsx'

const words = texts.overview

type Hour = Overview['events']['hours'][number]

export function HourChart({ hours }: { hours: readonly Hour[] }) {
  const bars = hours.map((hour) => ({ at: hour.at, counts: hour }))
  return (
    <figure class="card stack tight">
      <figcaption class="line even">
        <span class="line small">
          {outcomes.map((outcome) => (
            <span key={outcome} class={`key ${outcome}`}>
              {words.outcomes[outcome]}
            </span>
          ))}
        </span>
        <HighestCount bars={bars} />
      </figcaption>
      <StackedBars bars={bars} names={words.outcomes} label={words.events} />
      <div class="line even small quiet count">
        {hours
          .filter((_, index) => index % 6 === 0)
          .map(({ at }) => (
            <span key={at}>{formatClock(at)}</span>
          ))}
        <span>{texts.webhook.now}</span>
      </div>
      <HourTable hours={hours} />
    </figure>
  )
}

const HourTable = ({ hours }: { hours: readonly Hour[] }) => (
  <details>
    <summary class="small">{words.asTable}</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
    <div class="figures" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.hour}</th>
            {outcomes.map((outcome) => (
              <th key={outcome} scope="col">
                {words.outcomes[outcome]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...hours].reverse().map((hour) => (
            <tr key={hour.at}>
              <th scope="row">{formatMoment(hour.at)}</th>
              {outcomes.map((outcome) => (
                <td key={outcome}>{formatNumber(hour[outcome])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)
