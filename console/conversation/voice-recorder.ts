// Records a voice note with the microphone: its level while it runs, and its file at the end.

import { RECORDED_TYPES } from './can-record.ts'

/** Speech is clear with it, and the longest recording fits into a request. */
const BITS_PER_SECOND = 48_000
const LEVELS = 40
const LEVEL_MS = 80

export class VoiceRecorder {
  readonly #stream: MediaStream
  readonly #recorder: MediaRecorder
  readonly #context = new AudioContext()
  readonly #chunks: Blob[] = []
  readonly #timer: ReturnType<typeof setInterval>
  readonly startedAt = Date.now()

  private constructor(stream: MediaStream, onLevels: (levels: readonly number[]) => void) {
    this.#stream = stream
    const mimeType = RECORDED_TYPES.find((type) => MediaRecorder.isTypeSupported(type)) ?? ''
    this.#recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND })
    this.#recorder.addEventListener('dataavailable', ({ data }) => void this.#chunks.push(data))
    const analyser = this.#context.createAnalyser()
    analyser.fftSize = 1024
    this.#context.createMediaStreamSource(stream).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let levels: readonly number[] = []
    this.#timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples)
      levels = [...levels.slice(1 - LEVELS), measureLevel(samples)]
      onLevels(levels)
    }, LEVEL_MS)
    this.#recorder.start(1000)
  }

  /** Asks for the microphone. Rejects if the user or the browser refuses it. */
  static async start(onLevels: (levels: readonly number[]) => void): Promise<VoiceRecorder> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
    return new VoiceRecorder(stream, onLevels)
  }

  /** Ends the recording and returns its file. */
  async finish(): Promise<File> {
    const ended = new Promise((resolve) => this.#recorder.addEventListener('stop', resolve, { once: true }))
    if (this.#recorder.state !== 'inactive') {
      this.#recorder.stop()
      await ended
    }
    this.release()
    const type = this.#recorder.mimeType.split(';')[0] ?? ''
    return new File(this.#chunks, 'voice', { type })
  }

  /** Ends the recording, and gives the microphone back. */
  release(): void {
    clearInterval(this.#timer)
    if (this.#recorder.state !== 'inactive') this.#recorder.stop()
    for (const track of this.#stream.getTracks()) track.stop()
    if (this.#context.state !== 'closed') void this.#context.close()
  }
}

/** From 0 to 1, as loud as it is heard: speech is at about a tenth of what a microphone can take. */
function measureLevel(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.min(1, Math.sqrt(sum / samples.length) * 5)
}
