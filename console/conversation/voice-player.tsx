// A voice note with its waveform, along which it plays, and its seconds.

import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatLength } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Icon } from '../ui/icon.tsx'

const words = texts.conversation
const BARS = 64
const SECOND_STEP = 5

interface Props {
  message: MessageRecord
  /** Undefined until it is loaded, which the first press does. */
  url: string | undefined
  onLoad: () => Promise<void>
}

/** Values from 0 to 100, which came with the message; undefined without them. */
export function readWaveform({
  content: { waveform },
}: Pick<MessageRecord, 'content'>): number[] | undefined {
  if (typeof waveform !== 'string' || waveform === '') return undefined
  const values = Array.from(atob(waveform), (letter) => Math.min(100, letter.charCodeAt(0)))
  return values.slice(0, BARS)
}

export function VoicePlayer({ message, url, onLoad }: Props) {
  const sound = useRef<HTMLAudioElement>(null)
  const [isPlaying, setPlaying] = useState(false)
  const [position, setPosition] = useState(0)
  const [isWanted, setWanted] = useState(false)
  const [length, setLength] = useState(Number(message.content.seconds ?? 0))
  useEffect(() => {
    if (url && isWanted) void sound.current?.play()
  }, [url])
  const toggle = async () => {
    if (!url) {
      setWanted(true)
      return onLoad()
    }
    return isPlaying ? sound.current?.pause() : sound.current?.play()
  }
  const seek = (seconds: number) => {
    if (sound.current) sound.current.currentTime = Math.max(0, Math.min(length, seconds))
  }
  return (
    <div class="voice">
      <Button class="bare" label={isPlaying ? words.voice.pause : words.voice.play} onClick={toggle}>
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </Button>
      <Waveform bars={readWaveform(message) ?? []} {...{ length, position }} onSeek={seek} />
      <span class="small quiet count">{formatLength(position > 0 ? position : length)}</span>
      {/* biome-ignore lint/a11y/useMediaCaption: voice notes have no captions. */}
      <audio
        ref={sound}
        src={url}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPosition(0)}
        onTimeUpdate={({ currentTarget }) => setPosition(currentTarget.currentTime)}
        onDurationChange={({ currentTarget: { duration } }) => {
          if (Number.isFinite(duration)) setLength(duration)
        }}
      />
    </div>
  )
}

interface WaveformProps {
  bars: readonly number[]
  /** In seconds, as the position. */
  length: number
  position: number
  onSeek: (seconds: number) => void
}

/** A slider in the shape of the sound. */
function Waveform({ bars, length, position, onSeek }: WaveformProps) {
  const shown = bars.length > 0 ? bars : Array.from({ length: BARS / 2 }, () => 8)
  const reached = length > 0 ? position / length : 0
  return (
    <span
      class="waveform"
      role="slider"
      tabIndex={0}
      aria-label={words.voice.position}
      aria-valuemin={0}
      aria-valuemax={Math.round(length)}
      aria-valuenow={Math.round(position)}
      aria-valuetext={formatLength(position)}
      onClick={(event) => {
        const { left, right, width } = event.currentTarget.getBoundingClientRect()
        const isFromRight = getComputedStyle(event.currentTarget).direction === 'rtl'
        onSeek((length * (isFromRight ? right - event.clientX : event.clientX - left)) / width)
      }}
      onKeyDown={({ key }) => {
        if (key === 'ArrowRight' || key === 'ArrowUp') onSeek(position + SECOND_STEP)
        if (key === 'ArrowLeft' || key === 'ArrowDown') onSeek(position - SECOND_STEP)
      }}
    >
      {shown.map((value, index) => (
        <i
          key={index}
          class={index / shown.length < reached ? 'on' : ''}
          style={{ height: `${Math.max(8, value)}%` }}
        />
      ))}
    </span>
  )
}
