// A message on its way: being sent, refused, or with an unknown outcome, and what can be done about it.

import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { describeError } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Outgoing, OutgoingMessage } from './outgoing.ts'

const words = texts.conversation

interface Props {
  entry: OutgoingMessage
  outgoing: Outgoing
}

export function OutgoingBubble({ entry, outgoing }: Props) {
  const { state, label, error } = entry
  const isOver = state === 'refused' || state === 'unknown'
  const { description, code, requestId } = describeError(error)
  return (
    <article class="bubble mine">
      <div class={`bubble-card on-its-way ${state}`}>
        <p class="bubble-text">{label}</p>
        {!isOver && (
          <p class="bubble-foot small" role="status">
            <Icon name="clock" size={14} /> {words.status.Pending}
          </p>
        )}
        {isOver && (
          <div role="alert">
            <p class="line still strong">
              <Icon name={state === 'refused' ? 'error' : 'warning'} size={16} />
              {state === 'refused' ? words.notSent : words.unknownOutcome}
            </p>
            <p class="small">{state === 'refused' ? description : words.unknownHint}</p>
            {code && (
              <p class="small quiet">
                <code>{code}</code> {requestId && <code>{requestId}</code>}
              </p>
            )}
            <div class="line">
              <Button onClick={() => outgoing.repeatMessage(entry)}>
                {state === 'refused' ? words.sendAgain : words.checkOutcome}
              </Button>
              <Button class="bare" onClick={() => outgoing.discardMessage(entry.key)}>
                {words.dismiss}
              </Button>
            </div>
          </div>
        )}
      </div>
    </article>
  )
}
