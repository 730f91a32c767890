// Apart from voice-note.ts, because it is about loudness only: the picture of a voice note that a phone draws: 64 values of loudness, of which the loudest is 100.

const VALUES = 64
/** A fiftieth of a second at 48 kHz. */
const WINDOW = 960

/** Takes samples piece by piece, and needs four bytes a window. */
export class Waveform {
  readonly #loudness: number[] = []
  #sum = 0
  #count = 0

  addSamples(samples: Float32Array): void {
    for (const sample of samples) {
      this.#sum += Math.abs(sample)
      this.#count += 1
      if (this.#count === WINDOW) this.#endWindow()
    }
  }

  readValues(): Uint8Array {
    if (this.#count > 0) this.#endWindow()
    const windows = this.#loudness
    const means = Array.from({ length: VALUES }, (_, at) => {
      const start = Math.floor((at * windows.length) / VALUES)
      const end = Math.max(start + 1, Math.floor(((at + 1) * windows.length) / VALUES))
      const part = windows.slice(start, end)
      return part.reduce((sum, value) => sum + value, 0) / Math.max(1, part.length)
    })
    const loudest = Math.max(...means)
    return Uint8Array.from(means, (mean) => (loudest > 0 ? Math.round((100 * mean) / loudest) : 0))
  }

  #endWindow(): void {
    this.#loudness.push(this.#sum / this.#count)
    this.#sum = 0
    this.#count = 0
  }
}
