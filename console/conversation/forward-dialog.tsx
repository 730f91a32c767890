// The dialog that forwards a message.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { PeopleChoice, type Person } from './people-choice.tsx'

const words = texts.conversation

interface ForwardProps {
  client: InstanceClient
  message: MessageRecord
  onClose: () => void
}

/** To chats and contacts of the list, and to a number; one after another, and those that it went to leave the list. */
export function ForwardDialog({ client, message, onClose }: ForwardProps) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<Person[]>([])
  const number = isNumber(typed) ? typed.trim() : ''
  const forwardMessage = async () => {
    for (const person of chosen) {
      await client.forwardMessage({ id: message.messageid, number: person.id })
      setChosen((before) => before.filter(({ id }) => id !== person.id))
    }
    if (number) await client.forwardMessage({ id: message.messageid, number })
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.forward}
      onClose={onClose}
      onConfirm={forwardMessage}
      confirm={words.forward}
      disabled={!number && chosen.length === 0}
    >
      <blockquote class="quiet">{message.text || message.mediaType}</blockquote>
      <PeopleChoice
        {...{ client, typed, chosen }}
        label={words.forwardTo}
        hint={words.forwardHint}
        onType={setTyped}
        onChange={setChosen}
      />
    </ConfirmDialog>
  )
}

/** Or the id of a chat. */
const isNumber = (typed: string): boolean =>
  /@\w+\.\w|@lid$/.test(typed) || /^[\d\s+()./-]{8,}$/.test(typed.trim())
