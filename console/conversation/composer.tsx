// The input for a text, a reply, an edit, or a file that is chosen, dropped or pasted.

import { type Dispatch, type StateUpdater, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { MessageRecord } from '../../shared/contract/responses/message-responses.ts'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { AttachMenu } from './attach-menu.tsx'
import type { OpenChat } from './open-chat.ts'
import type { SendRequest } from './outgoing.ts'

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
  /** Shows it as on its way; the composer is free at once. */
  onSend: (label: string, request: SendRequest) => void
  onMessageChange: (record: MessageRecord) => void
  onDone: () => void
}

export function Composer(props: Props) {
  const { client, draft, onDone, onSend } = props
  const [file, setFile] = useState<File>()
  const [dragging, setDragging] = useState(false)
  const { text, setText, field, action, canSend, common, sendDraft } = useDraft(props, file, setFile)
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
        <AttachMenu
          {...{ client, common }}
          onFile={chooseFile}
          onSend={(label, request) => {
            onSend(label, request)
            onDone()
          }}
        />
        <TextArea
          {...{ field, text, setText, chooseFile }}
          placeholder={dragging ? words.drop : words.write}
          onEnter={() => {
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

interface TextAreaProps {
  field: { current: HTMLTextAreaElement | null }
  text: string
  setText: (text: string) => void
  placeholder: string
  onEnter: () => void
  chooseFile: (files: FileList) => void
}

/** Enter sends, and Shift with Enter breaks the line; a pasted file is attached. */
const TextArea = ({ field, text, setText, placeholder, onEnter, chooseFile }: TextAreaProps) => (
  <textarea
    ref={field}
    rows={1}
    aria-label={words.write}
    placeholder={placeholder}
    value={text}
    onInput={(event) => setText(event.currentTarget.value)}
    onPaste={(event) => {
      const files = event.clipboardData?.files
      if (!files?.length) return
      event.preventDefault()
      chooseFile(files)
    }}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      onEnter()
    }}
  />
)

/** The text of the draft with its field, and what sends it. */
function useDraft(
  { client, chat, draft, onSend, onMessageChange, onDone }: Props,
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
  const common = { number: chat.id, ...(reply && { replyid: reply.messageid }) }
  const clearDraft = () => {
    setText('')
    setFile(undefined)
    onDone()
  }
  const sendDraft = async () => {
    if (edit)
      return action.run(async () => {
        onMessageChange({ ...edit, ...(await saveEdit(client, edit, text)) })
        clearDraft()
      })
    if (file) {
      const label = [file.name, text].filter(Boolean).join('\n')
      onSend(label, async (options) =>
        client.sendMedia({ ...common, ...(await toAttachment(file)), text }, options),
      )
    } else onSend(text, (options) => client.sendText({ ...common, text }, options))
    clearDraft()
  }
  const canSend = file !== undefined || text.trim() !== ''
  return { text, setText, field, action, canSend, common, sendDraft }
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
