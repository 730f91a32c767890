// Bars of events over time, each stacked by outcome; and the words for their colours.

import { formatMoment, formatNumber } from '../formats.ts'

/** From the bottom of a bar to its top. */
export const stackedOutcomes = ['delivered', 'unaddressed', 'pending', 'dead'] as const

type Outcome = (typeof stackedOutcomes)[number]

export type OutcomeCounts = Readonly<Record<Outcome, number>>

export interface Bar {
  /** When it begins. */
  at: string | number
  counts: OutcomeCounts
  /** Where its events are listed. */
  hash?: string | undefined
}

type Names = Readonly<Record<Outcome, string>>

const WIDTH = 960
const HEIGHT = 140
const GAP = 6

const sumCounts = (counts: OutcomeCounts): number =>
  stackedOutcomes.reduce((sum, outcome) => sum + counts[outcome], 0)

interface BarsProps {
  bars: readonly Bar[]
  names: Names
  label: string
}

export function StackedBars({ bars, names, label }: BarsProps) {
  const step = WIDTH / Math.max(1, bars.length)
  const scale = HEIGHT / findHighest(bars)
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-label={label}>
      <path class="rule" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      {bars.map((bar, index) => (
        <OneBar key={bar.at} {...{ bar, names, scale }} left={index * step} width={step - GAP} />
      ))}
    </svg>
  )
}

interface OneBarProps {
  bar: Bar
  names: Names
  left: number
  width: number
  scale: number
}

function OneBar({ bar: { at, counts, hash }, names, left, width, scale }: OneBarProps) {
  let top = HEIGHT
  return (
    <a {...(hash && { href: hash })}>
      <title>{`${formatMoment(at)} · ${describeCounts(counts, names)}`}</title>
      {stackedOutcomes.map((outcome) => {
        // A single event among thousands stays visible.
        const height = counts[outcome] ? Math.max(2, counts[outcome] * scale) : 0
        top -= height
        return <rect key={outcome} class={outcome} x={left} y={top} width={width} height={height} />
      })}
    </a>
  )
}

export const describeCounts = (counts: OutcomeCounts, names: Names): string =>
  stackedOutcomes.map((outcome) => `${names[outcome]}: ${formatNumber(counts[outcome])}`).join(', ')

const findHighest = (bars: readonly Bar[]): number =>
  Math.max(1, ...bars.map(({ counts }) => sumCounts(counts)))

/** What the height of the highest bar stands for. */
export const HighestCount = ({ bars }: { bars: readonly Bar[] }) => (
  <span class="small quiet count">{formatNumber(findHighest(bars))} ↑</span>
)
