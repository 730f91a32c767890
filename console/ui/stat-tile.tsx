// Figures side by side, each with a link to the list behind it.

import type { ComponentChildren } from 'preact'
import { formatNumber } from '../formats.ts'

export const StatGrid = ({ label, children }: { label?: string; children: ComponentChildren }) => (
  <section class="stats" aria-label={label}>
    {children}
  </section>
)

interface StatTileProps {
  label: string
  value: number | string
  href?: string | undefined
  kind?: '' | 'good' | 'warn' | 'bad'
  hint?: ComponentChildren
}

/** A figure of 0 is quiet, because it needs nobody. */
export function StatTile({ label, value, href, kind = '', hint }: StatTileProps) {
  const isNone = value === 0
  const content = (
    <>
      <span class="stat-label">
        {kind && <i class={`dot ${isNone ? '' : kind}`} />}
        {label}
      </span>
      <span class="stat-value">{typeof value === 'number' ? formatNumber(value) : value}</span>
      {hint && <span class="stat-hint">{hint}</span>}
    </>
  )
  const style = `stat${isNone ? ' none' : ''}`
  if (!href) return <div class={style}>{content}</div>
  return (
    <a class={style} href={href}>
      {content}
    </a>
  )
}
