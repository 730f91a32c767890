// A bar that shrinks until a moment, with the seconds in words.

import { useNow } from '../ui/use-load.ts'

interface Props {
  until: string
  /** Milliseconds of the full bar. */
  fullMs: number
  formatLeft: (seconds: number) => string
}

export function TimeLeft({ until, fullMs, formatLeft }: Props) {
  const now = useNow(500)
  const left = Math.max(0, new Date(until).getTime() - now)
  const seconds = Math.ceil(left / 1000)
  return (
    <div class="stack tight" style={{ maxWidth: '280px' }}>
      <div class={`bar${seconds < 6 ? ' warn' : ''}`}>
        <i style={{ width: `${Math.min(100, (left / fullMs) * 100)}%` }} />
      </div>
      <span class="small quiet count">{formatLeft(seconds)}</span>
    </div>
  )
}
