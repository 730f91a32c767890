// The pictures and videos of a chat.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import type { ComponentChildren } from 'preact'
import { formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.conversation.gallery
const PAGE = 24

interface Props {
  client: InstanceClient
  chatid: string
  renderFile: (message: MessageRecord) => ComponentChildren
  /** Where the chat shows this message. */
  toMessageHash: (message: MessageRecord) => string
  onClose: () => void
}

export const GalleryDialog = (props: Props) => (
  <Dialog drawer title={words.title} onClose={props.onClose}>
    <Files {...props} kind="image" />
    <Files {...props} kind="video" />
  </Dialog>
)

/** Those of one kind, newest first, in pages. */
function Files({
  client,
  chatid,
  renderFile,
  toMessageHash,
  kind,
  onClose,
}: Props & { kind: 'image' | 'video' }) {
  const loadPage = (beforeId?: string) =>
    client.findMessages({ chatid, messageType: `${kind}Message`, limit: PAGE, ...(beforeId && { beforeId }) })
  const { value, error, set } = useLoad(() => loadPage(), [])
  const loadMore = async () => {
    if (!value) return
    const next = await loadPage(value.messages.at(-1)?.messageid)
    set({ ...next, messages: [...value.messages, ...next.messages] })
  }
  return (
    <section aria-label={words[kind]}>
      <h3>{words[kind]}</h3>
      {error !== undefined && <ErrorNote error={error} />}
      {value?.messages.length === 0 && <p class="quiet">{words.none}</p>}
      <div class="gallery">
        {value?.messages.map((message) => (
          <figure key={message.messageid}>
            {renderFile(message)}
            <a class="small" href={toMessageHash(message)} onClick={onClose}>
              {formatMoment(message.messageTimestamp)}
            </a>
          </figure>
        ))}
      </div>
      {value?.hasMore && <ActionButton onAction={loadMore}>{texts.conversation.hits.more}</ActionButton>}
    </section>
  )
}
