// The state of an instance as a word with a colour.

import type { Status } from '@msgnet/shared/contract/instance-requests.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/elements.tsx'

const kinds = { connected: 'good', connecting: 'warn moving', disconnected: '' } as const

export const StateBadge = ({ status, pairing }: { status: Status; pairing?: boolean }) => (
  <Badge kind={pairing ? 'warn moving' : kinds[status]}>{texts.states[pairing ? 'pairing' : status]}</Badge>
)
