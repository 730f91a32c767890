// The head of a page: its title with a count, its actions, and the way back; and the titled sections below it.

import type { ComponentChildren } from 'preact'
import { formatClock } from '../formats.ts'
import { useGatewayState } from '../gateway-watch.ts'
import { texts } from '../texts.ts'
import { Icon } from './icon.tsx'

export interface PageHeaderProps {
  title: ComponentChildren
  count?: ComponentChildren
  description?: ComponentChildren
  back?: { href: string; label: string }
  actions?: ComponentChildren
}

export const PageHeader = ({ title, count, description, back, actions }: PageHeaderProps) => (
  <header class="page-head">
    {back && (
      <a class="back" href={back.href}>
        <Icon name="back" size={15} />
        {back.label}
      </a>
    )}
    <h1>
      {title} {count !== undefined && <span class="count">{count}</span>}
    </h1>
    <StaleMark />
    {actions && <div class="actions">{actions}</div>}
    {description && <p class="about">{description}</p>}
  </header>
)

/** While the gateway is away, the page shows what was true then. */
function StaleMark() {
  const { absent, lastGoodAt } = useGatewayState()
  if (!absent || lastGoodAt === undefined) return null
  return <span class="badge">{texts.absence.asOf(formatClock(lastGoodAt))}</span>
}

interface SectionProps {
  title: string
  hint?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}

export const Section = ({ title, hint, actions, children }: SectionProps) => (
  <section class="section">
    <div class="section-head">
      <h2>{title}</h2>
      {hint && <span class="quiet small">{hint}</span>}
      {actions && <div class="actions">{actions}</div>}
    </div>
    {children}
  </section>
)
