// A file of a message: small pictures are loaded when they come into view, everything else on demand.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatBytes } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { chooseShownType } from './file-type.ts'
import { readThumbnail } from './thumbnail.tsx'
import { VoicePlayer } from './voice-player.tsx'

const words = texts.conversation

/** Larger pictures cost more than a look at the chat is worth. */
const MAX_UNASKED_BYTES = 1_000_000

/** One after another, because each is downloaded by the session host. */
let lastLoad: Promise<unknown> = Promise.resolve()

export function MessageMedia({ client, message }: { client: InstanceClient; message: MessageRecord }) {
  const [file, setFile] = useState<{ url: string; type: string }>()
  useEffect(
    () => () => {
      if (file) URL.revokeObjectURL(file.url)
    },
    [file],
  )
  const loadFile = async () => {
    const { fileURL, mimetype } = await client.downloadMessage({ id: message.messageid, return_link: true })
    if (!fileURL) return
    // The link may name a public address, but this page may load from its own origin only.
    const { pathname, search } = new URL(fileURL)
    const response = await fetch(pathname + search)
    if (!response.ok) throw new Error(words.fileGone)
    const type = chooseShownType(mimetype)
    const blob = new Blob([await response.arrayBuffer()], { type })
    setFile({ url: URL.createObjectURL(blob), type })
  }
  const place = useRef<HTMLParagraphElement>(null)
  useSight(place, isLoadedUnasked(message) && !file, () => {
    // A picture that could not be loaded still has its button, which shows the error.
    lastLoad = lastLoad.then(loadFile).catch(() => undefined)
  })
  if (message.mediaType === 'ptt') return <VoicePlayer message={message} url={file?.url} onLoad={loadFile} />
  if (!file) return <MediaPlace message={message} place={place} onLoad={loadFile} />
  const name = message.text || words.kinds[message.mediaType] || words.file
  if (file.type.startsWith('image/')) return <Picture url={file.url} name={name} />
  // biome-ignore lint/a11y/useMediaCaption: these files have no captions.
  if (file.type.startsWith('audio/')) return <audio controls src={file.url} aria-label={name} />
  // biome-ignore lint/a11y/useMediaCaption: these files have no captions.
  if (file.type.startsWith('video/')) return <video class="media" controls src={file.url} aria-label={name} />
  return (
    <a class="button" href={file.url} download={name}>
      {words.saveFile}
    </a>
  )
}

/** In the chat, and at its full size in the window after a press. */
function Picture({ url, name }: { url: string; name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="picture" onClick={() => setOpen(true)}>
        <img class="media" src={url} alt={name} />
      </button>
      {isOpen && (
        <Dialog full title={name} onClose={() => setOpen(false)}>
          <img src={url} alt={name} />
        </Dialog>
      )}
    </>
  )
}

interface PlaceProps {
  message: MessageRecord
  place: { current: HTMLParagraphElement | null }
  onLoad: () => Promise<void>
}

/** Stands for a file that is not loaded: its thumbnail if it has one, in the shape of the file, so that nothing moves later. */
function MediaPlace({ message, place, onLoad }: PlaceProps) {
  const { mediaType, content } = message
  const kind = words.kinds[mediaType] ?? mediaType
  const thumbnail = readThumbnail(message)
  const { width, height, fileLength } = content as Record<string, unknown>
  const ratio = Number(width) > 0 && Number(height) > 0 ? `${Number(width)} / ${Number(height)}` : '4 / 3'
  const size = Number(fileLength) > 0 ? formatBytes(Number(fileLength)) : ''
  const load = <ActionButton onAction={onLoad}>{words.show}</ActionButton>
  if (!thumbnail)
    return (
      <p class="line" ref={place}>
        <span class="small">{kind}</span>
        {size && <span class="small quiet count">{size}</span>}
        {load}
      </p>
    )
  return (
    <p class="media-place" ref={place} style={{ aspectRatio: ratio }}>
      <img src={thumbnail} alt={`${kind} ${size}`} />
      <span class="media-action">{load}</span>
    </p>
  )
}

function isLoadedUnasked({ mediaType, content: { fileLength } }: MessageRecord): boolean {
  const bytes = Number(fileLength ?? 0)
  return ['image', 'sticker'].includes(mediaType) && bytes > 0 && bytes <= MAX_UNASKED_BYTES
}

/** Calls `onSight` once, when the element comes into view. */
function useSight(place: { current: HTMLElement | null }, isWatching: boolean, onSight: () => void): void {
  useEffect(() => {
    if (!isWatching || !place.current) return
    const watcher = new IntersectionObserver((changes) => {
      if (!changes.some(({ isIntersecting }) => isIntersecting)) return
      watcher.disconnect()
      onSight()
    })
    watcher.observe(place.current)
    return () => watcher.disconnect()
  }, [isWatching])
}
