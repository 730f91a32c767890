// What a message's bubble and its menu are given.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import type { Outgoing } from './outgoing.ts'
import type { Reaction } from './timeline.ts'

export interface BubbleProps {
  client: InstanceClient
  message: MessageRecord
  quoted: MessageRecord | undefined
  reactions: ReadonlyMap<string, Reaction> | undefined
  outgoing: Outgoing
  onMessageChange: (record: MessageRecord) => void
  onReply: () => void
  onEdit: () => void
  onForward: () => void
}
