// The small picture that came with a picture or a video, before any of it is downloaded.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useEffect, useState } from 'preact/hooks'

/** By the id of the message; the newest of those that were asked for. */
const requested = new Map<string, Promise<string>>()
const MAX_REQUESTED = 500

/** Undefined if the message has none. */
export function readThumbnail({ content }: Pick<MessageRecord, 'content'>): string | undefined {
  const { JPEGThumbnail } = content
  return typeof JPEGThumbnail === 'string' && JPEGThumbnail
    ? `data:image/jpeg;base64,${JPEGThumbnail}`
    : undefined
}

function requestThumbnail(client: InstanceClient, messageid: string): Promise<string> {
  const known = requested.get(messageid)
  if (known !== undefined) return known
  const thumbnail = client.findMessages({ id: messageid }).then(
    ({ messages: [message] }) => (message && readThumbnail(message)) ?? '',
    // The row has its text; the next time that it is drawn asks again.
    () => {
      requested.delete(messageid)
      return ''
    },
  )
  requested.set(messageid, thumbnail)
  const [oldest = ''] = requested.keys()
  if (requested.size > MAX_REQUESTED) requested.delete(oldest)
  return thumbnail
}

/** Of the last message of a chat. The list has no pictures, so that it stays small: only those of drawn rows are asked for. */
export function LastThumbnail({ client, messageid }: { client: InstanceClient; messageid: string }) {
  const [source, setSource] = useState('')
  useEffect(() => {
    let isCurrent = true
    setSource('')
    void requestThumbnail(client, messageid).then((found) => isCurrent && setSource(found))
    return () => {
      isCurrent = false
    }
  }, [client, messageid])
  return source ? <img class="chat-thumbnail" src={source} alt="" /> : null
}
