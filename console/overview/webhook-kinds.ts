// The colour of each state of a webhook. Apart from overview-page.tsx, because the list of instances shows the states too.

import type { WebhookState } from '@msgnet/shared/contract/responses/overview-responses.ts'

export const webhookKinds = {
  healthy: 'good',
  waiting: 'warn',
  failing: 'bad',
  resting: 'bad',
  paused: 'warn',
  off: '',
} as const satisfies Record<WebhookState, string>
