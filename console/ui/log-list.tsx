// A log: one dense line for each entry, with its time, its kind as a dot, and a detail.

import type { ComponentChildren } from 'preact'
import { formatClockSeconds, formatDateTime, toDate } from '../formats.ts'

export const LogList = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <ul class="log" aria-label={label}>
    {children}
  </ul>
)

interface LogRowProps {
  time: string | number
  kind?: '' | 'good' | 'warn' | 'bad'
  title: ComponentChildren
  detail?: ComponentChildren
  end?: ComponentChildren
  href?: string
  onClick?: () => void
}

export function LogRow({ time, kind = '', title, detail, end, href, onClick }: LogRowProps) {
  const content = (
    <>
      <time dateTime={toDate(time)?.toISOString()} title={formatDateTime(time)}>
        {formatClockSeconds(time)}
      </time>
      <i class={`dot ${kind}`} />
      <span class="log-title cut">{title}</span>
      <span class="log-detail cut">{detail}</span>
      <span class="log-end">{end}</span>
    </>
  )
  return (
    <li>
      {href ? (
        <a class="log-row" href={href}>
          {content}
        </a>
      ) : onClick ? (
        <button type="button" class="log-row" onClick={onClick}>
          {content}
        </button>
      ) : (
        <div class="log-row">{content}</div>
      )}
    </li>
  )
}
