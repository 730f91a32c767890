// The events of the last day by hour and outcome: as bars, and as a table for those who read figures.

import type { Overview } from '../../shared/contract/responses/overview-responses.ts'
import { formatClock, formatMoment, formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'

const words = texts.overview
export const outcomes = ['delivered', 'unaddressed', 'pending', 'dead'] as const

type Hour = Overview['events']['hours'][number]

const WIDTH = 960
const HEIGHT = 140
const GAP = 6

const countHour = (hour: Hour): number => outcomes.reduce((sum, outcome) => sum + hour[outcome], 0)

export function HourChart({ hours }: { hours: readonly Hour[] }) {
  const highest = Math.max(1, ...hours.map(countHour))
  const step = WIDTH / Math.max(1, hours.length)
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
        <span class="small quiet count">{formatNumber(highest)} ↑</span>
      </figcaption>
      <svg
        class="hours"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.events}
      >
        <path class="rule" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {hours.map((hour, index) => (
          <HourBar
            key={hour.at}
            hour={hour}
            left={index * step}
            width={step - GAP}
            scale={HEIGHT / highest}
          />
        ))}
      </svg>
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

interface HourBarProps {
  hour: Hour
  left: number
  width: number
  scale: number
}

function HourBar({ hour, left, width, scale }: HourBarProps) {
  let top = HEIGHT
  return (
    <g>
      <title>{`${formatMoment(hour.at)} · ${outcomes
        .map((outcome) => `${words.outcomes[outcome]}: ${formatNumber(hour[outcome])}`)
        .join(', ')}`}</title>
      {outcomes.map((outcome) => {
        // A single event among thousands stays visible.
        const height = hour[outcome] ? Math.max(2, hour[outcome] * scale) : 0
        top -= height
        return <rect key={outcome} class={outcome} x={left} y={top} width={width} height={height} />
      })}
    </g>
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
