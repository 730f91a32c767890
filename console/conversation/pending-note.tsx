// What is known of a stored message that the network has not confirmed, and how to ask again without sending it twice.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useState } from 'preact/hooks'
import { formatClock } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useNow } from '../ui/use-load.ts'
import type { Outgoing } from './outgoing.ts'

const words = texts.conversation
/** Longer than the gateway waits for the network, and longer than most queues of messages. */
const PATIENCE_MS = 90_000

interface Props {
  client: InstanceClient
  message: MessageRecord
  outgoing: Outgoing
  onMessageChange: (record: MessageRecord) => void
}

export function PendingNote({ client, message, outgoing, onMessageChange }: Props) {
  const now = useNow(10_000)
  const [askedAt, setAskedAt] = useState<number>()
  const entry = outgoing.entries.find(({ key }) => key === message.track_id)
  if (entry ? entry.state !== 'unknown' : now - message.messageTimestamp < PATIENCE_MS) return null
  const askAgain = async () => {
    if (entry) return outgoing.repeatMessage(entry)
    const { messages } = await client.findMessages({ id: message.messageid })
    for (const record of messages) onMessageChange(record)
    setAskedAt(Date.now())
  }
  return (
    <div class="pending-note small">
      <p class="line still strong">
        <Icon name="warning" size={16} /> {words.unknownOutcome}
      </p>
      <p>{entry ? words.unknownHint : words.pendingHint}</p>
      <div class="line">
        <ActionButton class="small-button" onAction={askAgain}>
          {words.askAgain}
        </ActionButton>
        {askedAt !== undefined && (
          <span class="quiet" role="status">
            {words.stillUnknown(formatClock(askedAt))}
          </span>
        )}
      </div>
    </div>
  )
}
