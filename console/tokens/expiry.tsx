// When a token ends, and whether it has.

import { texts } from '../texts.ts'
import { Badge, TimeAgo } from '../ui/elements.tsx'
import { useNow } from '../ui/use-load.ts'

const words = texts.tokens

export function Expiry({ expiresAt }: { expiresAt: string }) {
  const now = useNow(10_000)
  if (!expiresAt) return <span class="quiet">{words.never}</span>
  if (Date.parse(expiresAt) <= now) return <Badge kind="bad">{words.expired}</Badge>
  return <TimeAgo time={expiresAt} />
}
