// What a page says about itself: a banner, an empty state, and a skeleton while it loads.

import type { ComponentChildren } from 'preact'
import { texts } from '../texts.ts'
import { Icon, type IconName } from './icon.tsx'

type BannerKind = 'info' | 'good' | 'warn' | 'bad'

const bannerIcons: Record<BannerKind, IconName> = {
  info: 'info',
  good: 'check',
  warn: 'warning',
  bad: 'error',
}

interface BannerProps {
  kind: BannerKind
  title: ComponentChildren
  children?: ComponentChildren
  actions?: ComponentChildren
}

export const Banner = ({ kind, title, children, actions }: BannerProps) => (
  <div class={`banner ${kind}`} role="status">
    <Icon name={bannerIcons[kind]} />
    <div class="grow">
      <span class="strong">{title}</span>
      {children && <p>{children}</p>}
    </div>
    {actions && <div class="actions">{actions}</div>}
  </div>
)

interface EmptyStateProps {
  icon: IconName
  title: string
  hint?: ComponentChildren
  actions?: ComponentChildren
}

export const EmptyState = ({ icon, title, hint, actions }: EmptyStateProps) => (
  <div class="empty">
    <Icon name={icon} size={28} />
    <h2>{title}</h2>
    {hint && <p class="quiet">{hint}</p>}
    {actions && <div class="actions">{actions}</div>}
  </div>
)

export const Skeleton = ({ rows = 5 }: { rows?: number }) => (
  <div class="skeleton" role="status">
    <span class="unseen">{texts.loading}</span>
    {Array.from({ length: rows }, (_, row) => (
      <i key={row} />
    ))}
  </div>
)
