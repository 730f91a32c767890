// Changes the rate of mono samples, with a filter that removes what the new rate cannot carry.

/** Samples on each side that make one new sample. */
const REACH = 16
/** The filter's values between two samples. */
const STEPS = 256

/** The middle of a sinc under a Hann window. */
function computeTap(distance: number, cutoff: number): number {
  if (Math.abs(distance) >= REACH) return 0
  const angle = Math.PI * distance * cutoff
  const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
  return cutoff * sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / REACH))
}

export class Resampler {
  readonly #step: number
  readonly #taps: Float32Array[]
  #rest = new Float32Array(REACH)
  /** The place of the next new sample, from the start of `#rest`. */
  #place = REACH

  constructor(from: number, to: number) {
    this.#step = from / to
    const cutoff = Math.min(1, to / from)
    this.#taps = Array.from({ length: STEPS + 1 }, (_, step) =>
      Float32Array.from({ length: 2 * REACH }, (_, tap) =>
        computeTap(tap - REACH + 1 - step / STEPS, cutoff),
      ),
    )
  }

  resample(samples: Float32Array): Float32Array {
    const input = new Float32Array(this.#rest.length + samples.length)
    input.set(this.#rest)
    input.set(samples, this.#rest.length)
    const count = Math.max(0, Math.ceil((input.length - REACH - this.#place) / this.#step))
    const output = new Float32Array(count)
    for (let at = 0; at < count; at += 1)
      output[at] = this.#computeSample(input, this.#place + at * this.#step)
    const next = this.#place + count * this.#step
    const start = Math.min(input.length, Math.max(0, Math.floor(next) - REACH))
    this.#rest = input.slice(start)
    this.#place = next - start
    return output
  }

  /** What is left at the end. */
  flush(): Float32Array {
    return this.resample(new Float32Array(REACH))
  }

  #computeSample(input: Float32Array, place: number): number {
    const whole = Math.floor(place)
    const taps = this.#taps[Math.round((place - whole) * STEPS)] as Float32Array
    let sum = 0
    for (let tap = 0; tap < 2 * REACH; tap += 1)
      sum += (input[whole - REACH + 1 + tap] ?? 0) * (taps[tap] as number)
    return sum
  }
}
