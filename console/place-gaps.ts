// Apart from gap-lines.tsx, because it draws nothing: where in a chat the gaps of its account stand.

import type { Gap } from '@msgnet/shared/contract/coverage.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'

interface Chat {
  /** Oldest first. */
  messages: readonly MessageRecord[]
  hasEarlier: boolean
  hasLater: boolean
}

/** The place below all messages. */
export const AT_END = ''

/**
 * By the id of the first message after the beginning of a gap. Of a filled gap nothing is missing: it is shown where
 * messages of the chat came late.
 */
export function placeGaps(
  gaps: readonly Gap[],
  { messages, hasEarlier, hasLater }: Chat,
): ReadonlyMap<string, Gap[]> {
  const places = new Map<string, Gap[]>()
  for (const gap of [...gaps].reverse()) {
    const index = messages.findIndex(({ messageTimestamp }) => messageTimestamp >= gap.from)
    const next = messages[index]
    // The place is on a page that was not read.
    if (next ? index === 0 && hasEarlier : hasLater) continue
    if (gap.state === 'filled' && !(next && next.messageTimestamp <= gap.to)) continue
    const key = next?.messageid ?? AT_END
    places.set(key, [...(places.get(key) ?? []), gap])
  }
  return places
}
