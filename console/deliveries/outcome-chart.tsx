// A bar chart of the latest events over time by their outcome.

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { EventRecord } from '../../shared/contract/responses/event-responses.ts'
import { locale, texts } from '../texts.ts'
import { findOutcome } from './event-outcome.tsx'

const words = texts.deliveries
const outcomes = ['delivered', 'unaddressed', 'pending', 'dead'] as const
const colours = {
  delivered: '--bar-good',
  unaddressed: '--line-strong',
  pending: '--bar-warn',
  dead: '--bar-bad',
} as const
const BARS = 48
const HEIGHT = 110
const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

export function OutcomeChart({ events }: { events: readonly EventRecord[] }) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const counts = Object.fromEntries(
    outcomes.map((outcome) => [outcome, events.filter((event) => findOutcome(event) === outcome).length]),
  )
  useEffect(() => {
    const element = place.current
    if (!element) return
    const drawChart = () => {
      plot.current?.destroy()
      plot.current = new uPlot(buildOptions(element), stackEvents(events), element)
    }
    drawChart()
    const darkMode = matchMedia('(prefers-color-scheme: dark)')
    darkMode.addEventListener('change', drawChart)
    const watcher = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    )
    watcher.observe(element)
    return () => {
      darkMode.removeEventListener('change', drawChart)
      watcher.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [])
  useEffect(() => plot.current?.setData(stackEvents(events)), [events])
  return (
    <figure class="card stack tight">
      <figcaption class="line even">
        <h2>{words.chart}</h2>
        <span class="line small">
          {outcomes.map((outcome) => (
            <span key={outcome} class={`key ${outcome}`}>
              {words.outcomes[outcome]} <b class="count">{counts[outcome]}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div
        ref={place}
        class="chart"
        role="img"
        aria-label={outcomes.map((outcome) => `${words.outcomes[outcome]}: ${counts[outcome]}`).join(', ')}
      />
    </figure>
  )
}

/** The computed colour, for the canvas. */
function readColour(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}

function buildOptions(element: HTMLElement): uPlot.Options {
  const quiet = readColour(element, '--quiet')
  const line = readColour(element, '--line')
  const bars = uPlot.paths.bars?.({ size: [0.8, 22] })
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    // Half a bar more at both ends, so that the first and the last bar are complete.
    scales: {
      x: { time: true, range: ({ data: [xs] }, min, max) => widenRange(xs, min, max) },
      y: { range: (_, __, max) => [0, Math.ceil(Math.max(max, 1) / chooseStep(max)) * chooseStep(max)] },
    },
    axes: [
      {
        stroke: quiet,
        grid: { show: false },
        ticks: { show: false },
        size: 28,
        space: 80,
        values: (_, times) => formatTimes(times),
      },
      {
        stroke: quiet,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        size: 42,
        splits: (_, __, ___, max) =>
          Array.from({ length: max / chooseStep(max) + 1 }, (_, line) => line * chooseStep(max)),
      },
    ],
    series: [
      {},
      // The tallest first, because later bars cover it.
      ...[...outcomes].reverse().map((outcome) => ({
        ...(bars && { paths: bars }),
        fill: readColour(element, colours[outcome]),
        width: 0,
        points: { show: false },
      })),
    ],
  }
}

/** The distance of the grid lines, of which there are at most five. */
const chooseStep = (max: number): number => [1, 2, 5, 10, 20, 50].find((step) => max / step <= 4) ?? 100

function widenRange(xs: ArrayLike<number>, min: number, max: number): [number, number] {
  const half = ((xs[1] ?? 1) - (xs[0] ?? 0)) / 2
  return [min - half, max + half]
}

/** As exact as their distance needs. */
function formatTimes(times: number[]): string[] {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat(locale, {
    ...(span < HOUR_SECONDS && { ...clock, second: '2-digit' }),
    ...(span >= HOUR_SECONDS && span < 2 * DAY_SECONDS && clock),
    ...(span >= 2 * DAY_SECONDS && { month: 'short', day: 'numeric' }),
  })
  return times.map((time) => format.format(time * 1000))
}

function stackEvents(events: readonly EventRecord[]): uPlot.AlignedData {
  const times = events.map(({ createdAt }) => new Date(createdAt).getTime() / 1000)
  const last = times.length > 0 ? Math.max(...times) : Date.now() / 1000
  // The newest is at the right, even if there are only a few.
  const first = Math.min(...times, last - 60)
  const step = Math.max(1, Math.ceil((last - first) / BARS))
  const count = Math.floor((last - first) / step) + 1
  const xs = Array.from({ length: count }, (_, index) => first + index * step)
  const tallies = outcomes.map(() => new Array<number>(count).fill(0))
  for (const [index, event] of events.entries()) {
    const tally = tallies[outcomes.indexOf(findOutcome(event))]
    const bar = Math.floor(((times[index] ?? first) - first) / step)
    if (tally) tally[bar] = (tally[bar] ?? 0) + 1
  }
  const sums = new Array<number>(count).fill(0)
  const layers = tallies.map((tally) =>
    tally.map((value, bar) => {
      sums[bar] = (sums[bar] ?? 0) + value
      return value ? (sums[bar] ?? 0) : null
    }),
  )
  return [xs, ...layers.reverse()]
}
