// The input for a text, an answer, an edit, or a dropped file.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import type { MessageRecord } from '../../shared/contract/answers/message.ts'
import { texts } from '../texts.ts'
import { Button, useDoing } from '../ui/act.tsx'
import { Trouble } from '../ui/trouble.tsx'
import type { OpenChat } from './conversation-types.ts'

const words = texts.conversation
/** The most bytes that fit into a request as base64. */
const LARGEST = 8 * 1024 * 1024

export interface Writing {
  reply?: MessageRecord
  edit?: MessageRecord
}
interface Props {
  client: InstanceClient
  chat: OpenChat
  writing: Writing
  onKept: (record: MessageRecord) => void
  onDone: () => void
}

export function Composer({ client, chat, writing, onKept, onDone }: Props) {
  const [text, setText] = useState('')
  const [file, setFile] = useState<File>()
  const [over, setOver] = useState(false)
  const doing = useDoing()
  const place = useRef<HTMLTextAreaElement>(null)
  const { reply, edit } = writing
  // Before the browser paints, because a later effect would overwrite text that is typed at once.
  useLayoutEffect(() => {
    if (edit) setText(edit.text)
    place.current?.focus()
  }, [reply, edit])

  const send = () =>
    doing.run(async () => {
      const common = { number: chat.id, ...(reply && { replyid: reply.messageid }) }
      if (edit) onKept({ ...edit, ...(await changed(client, edit, text)) })
      else if (file) onKept(await client.sendMedia({ ...common, ...(await described(file)), text }))
      else onKept(await client.sendText({ ...common, text }))
      // Text that was typed during the request stays.
      setText((now) => (now === text ? '' : now))
      setFile((now) => (now === file ? undefined : now))
      onDone()
    })
  const take = (given: FileList | null | undefined) => {
    const [first] = given ?? []
    if (first && first.size > LARGEST) void doing.run(() => Promise.reject(new Error(words.tooLarge)))
    else if (first) setFile(first)
  }
  const ready = file !== undefined || text.trim() !== ''
  return (
    <form
      class={`composer${over ? ' over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) void send()
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      {doing.error !== undefined && <Trouble error={doing.error} onClose={doing.clear} />}
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
          <input type="file" class="unseen" onChange={(event) => take(event.currentTarget.files)} />
        </label>
        <textarea
          ref={place}
          rows={1}
          aria-label={words.write}
          placeholder={over ? words.drop : words.write}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            if (ready && !doing.busy) void send()
          }}
        />
        <Button class="main" type="submit" busy={doing.busy} disabled={!ready}>
          {edit ? texts.save : words.send}
        </Button>
      </div>
    </form>
  )
}

async function changed(client: InstanceClient, { messageid: id }: MessageRecord, text: string) {
  await client.editMessage({ id, text })
  return { text, edited: id }
}

async function described(file: File) {
  const type = file.type.startsWith('image/') && /jpeg|png|webp/.test(file.type) ? 'image' : kindOf(file.type)
  const reader = new FileReader()
  const read = new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
  })
  reader.readAsDataURL(file)
  return { type, file: await read, docName: file.name } as const
}

const kindOf = (type: string) =>
  type.startsWith('video/') ? 'video' : type.startsWith('audio/') ? 'audio' : 'document'
