// The dialog in which the square of a picture is chosen that is shown: by dragging, or by sliders.

import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.account.profile

/** The side to which the gateway scales a picture. */
const SIDE = 640
const QUALITY = 0.92

/** `zoom`: 1 shows all that fits into the square; `x`, `y`: from 0 to 1, which part of the rest is left out before it. */
interface Crop {
  zoom: number
  x: number
  y: number
}

interface Props {
  file: File
  /** A data URI. The dialog stays open if it is refused. */
  onUse: (image: string) => Promise<void>
  onClose: () => void
}

export function CropDialog({ file, onUse, onClose }: Props) {
  const { value: bitmap, error } = useLoad(() => readPicture(file), [file])
  const [crop, setCrop] = useState<Crop>({ zoom: 1, x: 0.5, y: 0.5 })
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (bitmap && canvas.current) drawSquare(canvas.current, bitmap, crop)
  }, [bitmap, crop])
  return (
    <ConfirmDialog
      title={words.crop}
      onClose={onClose}
      onConfirm={() => onUse(canvas.current?.toDataURL('image/jpeg', QUALITY) ?? '')}
      confirm={words.usePicture}
      disabled={!bitmap}
    >
      <p class="quiet">{words.cropHint}</p>
      {error !== undefined && <ErrorNote error={error} />}
      <canvas
        ref={canvas}
        class="crop"
        width={SIDE}
        height={SIDE}
        role="img"
        aria-label={words.cropArea}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (!bitmap || !event.currentTarget.hasPointerCapture(event.pointerId)) return
          const scale = SIDE / event.currentTarget.clientWidth
          const moved = { x: event.movementX * scale, y: event.movementY * scale }
          setCrop((before) => moveCrop(before, bitmap, moved))
        }}
      />
      <Slider
        label={words.zoom}
        min={1}
        max={4}
        value={crop.zoom}
        onInput={(zoom) => setCrop({ ...crop, zoom })}
      />
      <Slider label={words.across} value={crop.x} onInput={(x) => setCrop({ ...crop, x })} />
      <Slider label={words.down} value={crop.y} onInput={(y) => setCrop({ ...crop, y })} />
    </ConfirmDialog>
  )
}

async function readPicture(file: File): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file)
  } catch (cause) {
    throw new Error(words.unreadable, { cause })
  }
}

/** The side of the square in the picture's own pixels, and how far it can be moved. */
function measureSquare({ width, height }: ImageBitmap, { zoom }: Crop) {
  const side = Math.min(width, height) / zoom
  return { side, roomX: width - side, roomY: height - side }
}

function drawSquare(canvas: HTMLCanvasElement, bitmap: ImageBitmap, crop: Crop): void {
  const { side, roomX, roomY } = measureSquare(bitmap, crop)
  const context = canvas.getContext('2d')
  if (!context) return
  // What is transparent would become black in a JPEG.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, SIDE, SIDE)
  context.drawImage(bitmap, roomX * crop.x, roomY * crop.y, side, side, 0, 0, SIDE, SIDE)
}

/** `moved`: how far the picture was dragged, in pixels of the canvas. */
function moveCrop(crop: Crop, bitmap: ImageBitmap, moved: { x: number; y: number }): Crop {
  const { side, roomX, roomY } = measureSquare(bitmap, crop)
  const shift = (share: number, by: number, room: number) =>
    room > 0 ? Math.min(1, Math.max(0, share - (by * side) / SIDE / room)) : share
  return { ...crop, x: shift(crop.x, moved.x, roomX), y: shift(crop.y, moved.y, roomY) }
}

interface SliderProps {
  label: string
  min?: number
  max?: number
  value: number
  onInput: (value: number) => void
}

const Slider = ({ label, min = 0, max = 1, value, onInput }: SliderProps) => (
  <label class="slider">
    <span>{label}</span>
    <input
      type="range"
      min={min}
      max={max}
      step={0.01}
      value={value}
      onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
    />
  </label>
)
