// The input for a text, a reply, an edit, or a dropped file.

import { type Dispatch, type StateUpdater, useLayoutEffect, useRef, useState } from 'preact/hooks'
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

export function Composer(props: Props) {
  const { draft, onDone } = props
  const [file, setFile] = useState<File>()
  const [dragging, setDragging] = useState(false)
  const { text, setText, field, action, canSend, sendDraft } = useDraft(props, file, setFile)
  const chooseFile = (files: FileList | null | undefined) => {
    const [first] = files ?? []
    if (first && first.size > MAX_FILE_BYTES) void action.run(() => Promise.reject(new Error(words.tooLarge)))
    else if (first) setFile(first)
  }
  const discardDraft = () => {
    setFile(undefined)
    if (draft.edit) setText('')
    onDone()
  }
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
      {(draft.reply || draft.edit || file) && (
        <DraftNote draft={draft} file={file} onDiscard={discardDraft} />
      )}
      <div class="line still">
        <FileInput onChoose={chooseFile} />
        <textarea
          ref={field}
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
          {draft.edit ? texts.save : words.send}
        </Button>
      </div>
    </form>
  )
}

/** The text of the draft with its field, and what sends it. */
function useDraft(
  { client, chat, draft, onMessageChange, onDone }: Props,
  file: File | undefined,
  setFile: Dispatch<StateUpdater<File | undefined>>,
) {
  const [text, setText] = useState('')
  const action = useAction()
  const field = useRef<HTMLTextAreaElement>(null)
  const { reply, edit } = draft
  // Before the browser paints, because a later effect would overwrite text that is typed at once.
  useLayoutEffect(() => {
    if (edit) setText(edit.text)
    field.current?.focus()
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
  const canSend = file !== undefined || text.trim() !== ''
  return { text, setText, field, action, canSend, sendDraft }
}

interface DraftNoteProps {
  draft: Draft
  file: File | undefined
  onDiscard: () => void
}

/** Shows what is sent besides the text: a file, a reply or an edit. */
const DraftNote = ({ draft: { reply, edit }, file, onDiscard }: DraftNoteProps) => (
  <div class="line still even note">
    <span class="cut">
      {file ? `${words.file}: ${file.name}` : edit ? words.editing : `${words.replying} ${reply?.text ?? ''}`}
    </span>
    <Button class="bare" label={texts.cancel} onClick={onDiscard}>
      ×
    </Button>
  </div>
)

const FileInput = ({ onChoose }: { onChoose: (files: FileList | null) => void }) => (
  <label class="button" title={words.attach}>
    <span aria-hidden="true">+</span>
    <span class="unseen">{words.attach}</span>
    <input type="file" class="unseen" onChange={(event) => onChoose(event.currentTarget.files)} />
  </label>
)

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
