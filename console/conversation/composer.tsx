// The input for a text, a reply, an edit, or files that are chosen, dropped or pasted.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { type Dispatch, type StateUpdater, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { AttachMenu } from './attach-menu.tsx'
import { canRecord } from './can-record.ts'
import { EmojiButton } from './emoji-dialog.tsx'
import { FilePreviews } from './file-previews.tsx'
import type { OpenChat } from './open-chat.ts'
import { SendLaterButton } from './send-later-button.tsx'
import type { SendRequest } from './stored-sends.ts'
import type { FileDrop } from './use-file-drop.ts'
import { VoiceButton } from './voice-button.tsx'

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
  /** The text that was not sent, by chat: it outlives the composer. */
  drafts: Map<string, string>
  drop: FileDrop
  /** Shows it as on its way; the composer is free at once. */
  onSend: (label: string, request: SendRequest) => void
  onMessageChange: (record: MessageRecord) => void
  onDone: () => void
}

export function Composer(props: Props) {
  const { draft, drop, onDone } = props
  const [files, setFiles] = useState<readonly File[]>([])
  const state = useDraft(props, files, setFiles)
  const { setText, written, action, canSend, sendDraft } = state
  const addFiles = (added: FileList | null | undefined) => {
    const small = [...(added ?? [])].filter(({ size }) => size <= MAX_FILE_BYTES)
    if (small.length < (added?.length ?? 0)) action.fail(new Error(words.tooLarge))
    setFiles((before) => [...before, ...small])
  }
  useEffect(() => addFiles(drop.files), [drop.files])
  const discardDraft = () => {
    if (draft.edit) setText(written)
    onDone()
  }
  return (
    <form
      class={`composer${drop.isOver ? ' over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) void sendDraft()
      }}
    >
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      {(draft.reply || draft.edit) && <DraftNote draft={draft} onDiscard={discardDraft} />}
      {files.length > 0 && <FilePreviews {...{ files, setFiles }} />}
      <ComposerLine
        {...props}
        {...state}
        addFiles={addFiles}
        isOver={drop.isOver}
        hasFiles={files.length > 0}
      />
    </form>
  )
}

interface LineProps extends Props, ReturnType<typeof useDraft> {
  addFiles: (files: FileList | null | undefined) => void
  isOver: boolean
  hasFiles: boolean
}

/** What can be attached, the text, and the ways to send; or the voice note that is being recorded. */
function ComposerLine(props: LineProps) {
  const { draft, action, canSend, common, text, addFiles, onSend, onDone } = props
  const [isRecording, setRecording] = useState(false)
  const offersVoice = canRecord() && !draft.edit && !props.hasFiles && text === ''
  const sendAndFinish = (label: string, request: SendRequest) => {
    onSend(label, request)
    onDone()
  }
  return (
    <div class="line still">
      {!isRecording && (
        <AttachMenu client={props.client} common={common} onFiles={addFiles} onSend={sendAndFinish} />
      )}
      {!isRecording && <EmojiButton {...props} />}
      {!isRecording && (
        <TextArea
          {...props}
          placeholder={props.isOver ? words.drop : words.write}
          onEnter={() => {
            if (canSend && !action.busy) void props.sendDraft()
          }}
        />
      )}
      {offersVoice && (
        <VoiceButton
          {...{ isRecording }}
          onRecording={setRecording}
          onError={action.fail}
          onSend={async (voice) => {
            const body = { ...common, type: 'ptt', file: await readDataUri(voice) } as const
            sendAndFinish(words.kinds.ptt ?? '', { route: 'sendMedia', body })
          }}
        />
      )}
      {canSend && !draft.edit && (
        <SendLaterButton label={props.label} onSchedule={(sendAt) => void props.sendDraft(sendAt)} />
      )}
      {!isRecording && (
        <Button class="main" type="submit" busy={action.busy} disabled={!canSend}>
          {draft.edit ? texts.save : words.send}
        </Button>
      )}
    </div>
  )
}

interface TextAreaProps {
  field: { current: HTMLTextAreaElement | null }
  text: string
  setText: (text: string) => void
  placeholder: string
  onEnter: () => void
  addFiles: (files: FileList) => void
}

/** Enter sends, and Shift with Enter breaks the line; pasted files are attached. */
const TextArea = ({ field, text, setText, placeholder, onEnter, addFiles }: TextAreaProps) => (
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
      addFiles(files)
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
  { client, chat, draft, drafts, onSend, onMessageChange, onDone }: Props,
  files: readonly File[],
  setFiles: Dispatch<StateUpdater<readonly File[]>>,
) {
  const written = drafts.get(chat.id) ?? ''
  const [text, showText] = useState(written)
  const action = useAction()
  const field = useRef<HTMLTextAreaElement>(null)
  const { reply, edit } = draft
  const setText = (next: string) => {
    if (!edit) drafts.set(chat.id, next)
    showText(next)
  }
  // Before the browser paints, because a later effect would overwrite text that is typed at once.
  useLayoutEffect(() => {
    if (edit) showText(edit.text)
    field.current?.focus()
  }, [reply, edit])
  const common = { number: chat.id, ...(reply && { replyid: reply.messageid }) }
  const clearDraft = () => {
    setText(edit ? written : '')
    setFiles([])
    onDone()
  }
  const label = [...files.map(({ name }) => name), text].filter(Boolean).join('\n')
  /** `sendAt`: later, at this time. */
  const sendDraft = async (sendAt?: string) => {
    const later = sendAt && { sendAt }
    if (edit)
      return action.run(async () => {
        onMessageChange({ ...edit, ...(await saveEdit(client, edit, text)) })
        clearDraft()
      })
    if (files.length > 0) {
      return action.run(async () => {
        // All are read before one is sent: if one cannot be read, none is sent twice by another try.
        const attachments = await Promise.all(files.map(toAttachment))
        // The text and what it replies to go with the first.
        let rest = { ...common, text }
        for (const attachment of attachments) {
          if (rest.text && attachment.type === 'audio') {
            // Phones show no words with a sound.
            onSend(text, { route: 'sendText', body: { ...rest, ...later } })
            rest = { number: chat.id, text: '' }
          }
          const body = { ...rest, ...attachment, ...later }
          onSend([attachment.docName, rest.text].filter(Boolean).join('\n'), { route: 'sendMedia', body })
          rest = { number: chat.id, text: '' }
        }
        clearDraft()
      })
    }
    onSend(label, { route: 'sendText', body: { ...common, text, ...later } })
    clearDraft()
  }
  const canSend = files.length > 0 || text.trim() !== ''
  return { text, setText, written, field, action, canSend, common, label, sendDraft }
}

interface DraftNoteProps {
  draft: Draft
  onDiscard: () => void
}

/** Shows what the text is besides: a reply or an edit. */
const DraftNote = ({ draft: { reply, edit }, onDiscard }: DraftNoteProps) => (
  <div class="line still even note">
    <span class="cut">{edit ? words.editing : `${words.replying} ${reply?.text ?? ''}`}</span>
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
  return { type, file: await readDataUri(file), docName: file.name } as const
}

function readDataUri(file: File): Promise<string> {
  const reader = new FileReader()
  const read = new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
  })
  reader.readAsDataURL(file)
  return read
}

const classifyFile = (type: string) =>
  type.startsWith('video/') ? 'video' : type.startsWith('audio/') ? 'audio' : 'document'
