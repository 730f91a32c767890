// What a message says, by its kind: a text here, the others by what is loaded with them.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { formatMentions } from '../formats.ts'
import { describeKind } from '../message-kind.ts'
import { texts } from '../texts.ts'
import { Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { BubbleKind } from './bubble-kind.tsx'
import { FormattedText } from './formatted-text.tsx'

const words = texts.conversation
const DRAWN_KINDS = ['location', 'contact', 'poll', 'menu']

interface Props {
  client: InstanceClient
  message: MessageRecord
}

/** With the names of the people whom it mentions. */
export function MessageContent({ client, message: stored }: Props) {
  const message = { ...stored, text: formatMentions(stored) }
  if (message.status === 'Deleted')
    return (
      <p class="quiet">
        <em>{words.deleted}</em>
      </p>
    )
  if (DRAWN_KINDS.includes(message.type)) return <DrawnKind client={client} message={message} />
  const kind = describeKind(message)
  return (
    <>
      {message.buttonOrListid && <BubbleKind icon="reply" label={words.otherKinds.choice} />}
      {message.type === 'media' && <DrawnKind client={client} message={message} />}
      {kind && <BubbleKind icon="info" label={kind} />}
      {message.text && (
        <p class="bubble-text">
          <FormattedText text={message.text} />
        </p>
      )}
    </>
  )
}

let drawnKinds: typeof import('./drawn-kinds.tsx') | undefined

/** What draws it is loaded with the first of these messages. */
function DrawnKind(props: Props) {
  const load = async () => (drawnKinds ??= await import('./drawn-kinds.tsx'))
  const { value = drawnKinds, error } = useLoad(load, [])
  if (error !== undefined) return <ErrorNote error={error} />
  return value ? <value.DrawnContent {...props} /> : <Loading />
}
