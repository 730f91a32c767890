// The button that records a voice note, and what is shown while it runs: its level, its seconds, cancel and send.

import { useEffect, useRef, useState } from 'preact/hooks'
import { formatLength } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useNow } from '../ui/use-load.ts'
import { MAX_RECORDING_MS } from './can-record.ts'
import { loadThreadParts } from './load-thread-parts.ts'
import type { VoiceRecorder } from './voice-recorder.ts'

const words = texts.conversation

interface Props {
  /** Whether it records: then the composer has nothing else. */
  isRecording: boolean
  onRecording: (isRecording: boolean) => void
  onError: (error: unknown) => void
  onSend: (file: File) => Promise<void>
}

export function VoiceButton({ isRecording, onRecording, onError, onSend }: Props) {
  const recorder = useRef<VoiceRecorder | undefined>(undefined)
  const [levels, setLevels] = useState<readonly number[]>([])
  const isOpen = useRef(true)
  const [isAsking, setAsking] = useState(false)
  useEffect(
    () => () => {
      isOpen.current = false
      recorder.current?.release()
    },
    [],
  )
  const startRecording = async () => {
    setAsking(true)
    try {
      const loaded = await loadThreadParts()
      recorder.current = await loaded.VoiceRecorder.start(setLevels)
      // The chat was left while the user was asked for the microphone.
      if (isOpen.current) onRecording(true)
      else recorder.current.release()
    } catch (error) {
      // The browser or the user refuses the microphone, or there is none.
      onError(error instanceof DOMException ? new Error(words.voice.noMicrophone) : error)
    }
    setAsking(false)
  }
  const leaveRecording = () => {
    recorder.current?.release()
    recorder.current = undefined
    setLevels([])
    onRecording(false)
  }
  const sendRecording = async () => {
    const file = await recorder.current?.finish()
    if (file && file.size > 0) await onSend(file)
    leaveRecording()
  }
  if (!isRecording || !recorder.current)
    return (
      <Button label={words.voice.record} busy={isAsking} onClick={startRecording}>
        <Icon name="mic" />
      </Button>
    )
  return (
    <RecordingBar
      levels={levels}
      startedAt={recorder.current.startedAt}
      onCancel={leaveRecording}
      onSend={sendRecording}
    />
  )
}

interface BarProps {
  levels: readonly number[]
  startedAt: number
  onCancel: () => void
  onSend: () => Promise<void>
}

function RecordingBar({ levels, startedAt, onCancel, onSend }: BarProps) {
  const elapsed = Math.max(0, useNow(500) - startedAt)
  const [isSending, setSending] = useState(false)
  const send = () => {
    setSending(true)
    return onSend()
  }
  useEffect(() => {
    if (elapsed > MAX_RECORDING_MS && !isSending) void send()
  }, [elapsed])
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is a part of the composer's form.
    <div
      class="recording grow"
      role="group"
      aria-label={words.voice.recording}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <span class="recording-dot" aria-hidden="true" />
      <span class="count">{formatLength(elapsed / 1000)}</span>
      <span class="levels grow" aria-hidden="true">
        {levels.map((level, index) => (
          <i key={index} style={{ height: `${Math.max(8, level * 100)}%` }} />
        ))}
      </span>
      <Button class="bare" onClick={onCancel}>
        {texts.cancel}
      </Button>
      <Button class="main" busy={isSending} onClick={send}>
        {words.send}
      </Button>
    </div>
  )
}
