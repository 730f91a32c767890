// The input for a text, an answer, an edit, or a dropped file.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { MessageRecord } from '../../shared/contract/responses/message-responses.ts'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import type { OpenChat } from './open-chat.ts'

const words = texts.conversation
/** The most bytes that fit into a request as base64. */
const MAX_FILE_BYTES = 8 * 1024 * 1024

export interface Draft {
  reply?: MessageRecord
  edit?: MessageRecord
}
interface Props {
  client: InstanceClient
  chat: OpenChat
  draft: Draft
  onMessageChange: (record: MessageRecord) => void
  onDone: () => void
}

export function Composer({ client, chat, draft, onMessageChange, onDone }: Props) {
  const [text, setText] = useState('')
  const [file, setFile] = useState<File>()
  const [dragging, setDragging] = useState(false)
  const action = useAction()
  const place = useRef<HTMLTextAreaElement>(null)
  const { reply, edit } = draft
  // Before the browser paints, because a later effect would overwrite text that is typed at once.
  useLayoutEffect(() => {
    if (edit) setText(edit.text)
    place.current?.focus()
  }, [reply, edit])

  const sendDraft = () =>
    action.run(async () => {
      const common = { number: chat.id, ...(reply && { replyid: reply.messageid }) }
      if (edit) onMessageChange({ ...edit, ...(await saveEdit(client, edit, text)) })
      else if (file)
        onMessageChange(await client.sendMedia({ ...common, ...(await toAttachment(file)), text }))
      else onMessageChange(await client.sendText({ ...common, text }))
      // Text that was typed during the request stays.
      setText((now) => (now === text ? '' : now))
      setFile((now) => (now === file ? undefined : now))
      onDone()
    })
  const chooseFile = (files: FileList | null | undefined) => {
    const [first] = files ?? []
    if (first && first.size > MAX_FILE_BYTES) void action.run(() => Promise.reject(new Error(words.tooLarge)))
    else if (first) setFile(first)
  }
  const canSend = file !== undefined || text.trim() !== ''
  return (
    <form
      class={`composer${dragging ? ' over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) void sendDraft()
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setDragging(true)
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDragging(false)
        chooseFile(event.dataTransfer?.files)
      }}
    >
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      {(reply || edit || file) && (
        <div class="line still even note">
          <span class="cut">
            {file
              ? `${words.file}: ${file.name}`
              : edit
                ? words.editing
                : `${words.replying} ${reply?.text ?? ''}`}
          </span>
          <Button
            class="bare"
            label={texts.cancel}
            onClick={() => {
              setFile(undefined)
              if (edit) setText('')
              onDone()
            }}
          >
            ×
          </Button>
        </div>
      )}
      <div class="line still">
        <label class="button" title={words.attach}>
          <span aria-hidden="true">+</span>
          <span class="unseen">{words.attach}</span>
          <input type="file" class="unseen" onChange={(event) => chooseFile(event.currentTarget.files)} />
        </label>
        <textarea
          ref={place}
          rows={1}
          aria-label={words.write}
          placeholder={dragging ? words.drop : words.write}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            if (canSend && !action.busy) void sendDraft()
          }}
        />
        <Button class="main" type="submit" busy={action.busy} disabled={!canSend}>
          {edit ? texts.save : words.send}
        </Button>
      </div>
    </form>
  )
}

async function saveEdit(client: InstanceClient, { messageid: id }: MessageRecord, text: string) {
  await client.editMessage({ id, text })
  return { text, edited: id }
}

async function toAttachment(file: File) {
  const type =
    file.type.startsWith('image/') && /jpeg|png|webp/.test(file.type) ? 'image' : classifyFile(file.type)
  const reader = new FileReader()
  const read = new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
  })
  reader.readAsDataURL(file)
  return { type, file: await read, docName: file.name } as const
}

const classifyFile = (type: string) =>
  type.startsWith('video/') ? 'video' : type.startsWith('audio/') ? 'audio' : 'document'
