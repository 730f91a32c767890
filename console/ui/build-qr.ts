// Builds QR codes of bytes with the middle level of correction: a package for all kinds of them was a fifteenth of the console.

/** Of a block, by version. */
const CORRECTION_BYTES = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

/** Rows of dark and light squares; undefined for more than 666 bytes. */
export function buildQr(bytes: Uint8Array): boolean[][] | undefined {
  const index = BLOCKS.findIndex((_, at) => bytes.length <= countDataBytes(at + 1) - (at < 9 ? 2 : 3))
  if (index < 0) return undefined
  const version = index + 1
  const squares = drawPatterns(version)
  placeBits(squares, joinBlocks(fillData(bytes, version), version))
  return squares.map((row) => row.map(Boolean))
}

/** Undefined where data goes. */
type Squares = (boolean | undefined)[][]

const countAlignments = (version: number) => (version > 1 ? Math.floor(version / 7) + 2 : 0)

function countAllBytes(version: number): number {
  const n = countAlignments(version)
  const patterns = (n && (25 * n - 10) * n - 55) + (version > 6 ? 36 : 0)
  return ((16 * version + 128) * version + 64 - patterns) >> 3
}

const countDataBytes = (version: number): number =>
  countAllBytes(version) - (CORRECTION_BYTES[version - 1] ?? 0) * (BLOCKS[version - 1] ?? 0)

const toBits = (value: number, length: number): number[] =>
  Array.from({ length }, (_, at) => (value >> (length - 1 - at)) & 1)

function fillData(bytes: Uint8Array, version: number): number[] {
  const size = countDataBytes(version)
  const stream = [...toBits(4, 4), ...toBits(bytes.length, version < 10 ? 8 : 16)]
  for (const byte of bytes) stream.push(...toBits(byte, 8))
  stream.push(0, 0, 0, 0)
  const data: number[] = []
  for (let at = 0; at < stream.length && data.length < size; at += 8)
    data.push(
      Number.parseInt(
        stream
          .slice(at, at + 8)
          .join('')
          .padEnd(8, '0'),
        2,
      ),
    )
  for (let pad = 0xec; data.length < size; pad ^= 0xec ^ 0x11) data.push(pad)
  return data
}

/** The bytes of all blocks in turn, then those of their correction. */
function joinBlocks(data: readonly number[], version: number): number[] {
  const count = BLOCKS[version - 1] ?? 1
  const correction = CORRECTION_BYTES[version - 1] ?? 0
  const short = Math.floor(data.length / count)
  const longer = data.length % count
  const blocks = Array.from({ length: count }, (_, at) => {
    const from = at * short + Math.max(0, at - (count - longer))
    return data.slice(from, from + short + (at >= count - longer ? 1 : 0))
  })
  return [...takeTurns(blocks), ...takeTurns(blocks.map((block) => computeCorrection(block, correction)))]
}

const takeTurns = (blocks: readonly number[][]): number[] =>
  (blocks.at(-1) ?? []).flatMap((_, at) => blocks.flatMap((block) => block[at] ?? []))

/** In the field of 256 elements. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--)
    product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> bit) & 1) * a)
  return product
}

/** Reed and Solomon's. */
function computeCorrection(block: readonly number[], length: number): number[] {
  const divisor: number[] = Array.from({ length }, (_, at) => (at === length - 1 ? 1 : 0))
  for (let step = 0, root = 1; step < length; step++, root = multiply(root, 2))
    for (let at = 0; at < length; at++)
      divisor[at] = multiply(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0)
  const rest = new Array<number>(length).fill(0)
  for (const byte of block) {
    const factor = byte ^ (rest.shift() ?? 0)
    rest.push(0)
    for (let at = 0; at < length; at++) rest[at] = (rest[at] ?? 0) ^ multiply(divisor[at] ?? 0, factor)
  }
  return rest
}

/** Everything but data: the three corners, the small squares, the lines of single squares, the version and the format. */
function drawPatterns(version: number): Squares {
  const size = version * 4 + 17
  const squares: Squares = Array.from({ length: size }, () => new Array(size).fill(undefined))
  const set = (x: number, y: number, isDark: boolean) => {
    const row = squares[y]
    if (row && x >= 0 && x < size) row[x] = isDark
  }
  const drawRings = (x: number, y: number, radius: number, light: number[]) => {
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++)
        set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
  }
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  const places = placeAlignments(version)
  for (const [i, x] of places.entries())
    for (const [j, y] of places.entries()) {
      const isCorner = [0, places.length - 1].includes(i) && [0, places.length - 1].includes(j)
      if (!isCorner || (i > 0 && j > 0)) drawRings(x, y, 2, [1])
    }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(x, y, 4, [2, 4])
  drawFacts(set, version, size)
  return squares
}

function placeAlignments(version: number): number[] {
  const count = countAlignments(version)
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  return Array.from({ length: count }, (_, at) => (at ? version * 4 + 10 - (count - 1 - at) * step : 6))
}

/** The format says that the level is the middle one, and the mask the first. */
function drawFacts(set: (x: number, y: number, isDark: boolean) => void, version: number, size: number) {
  const format = 0x5412
  for (let at = 0; at < 15; at++) {
    const isDark = ((format >> at) & 1) === 1
    const near = at < 6 ? at : at < 8 ? at + 1 : 0
    if (at < 8) {
      set(8, near, isDark)
      set(size - 1 - at, 8, isDark)
    } else {
      set(at === 8 ? 7 : 14 - at, 8, isDark)
      set(8, size - 15 + at, isDark)
    }
  }
  set(8, size - 8, true)
  if (version < 7) return
  let rest = version
  for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25)
  const facts = (version << 12) | rest
  for (let at = 0; at < 18; at++) {
    const isDark = ((facts >> at) & 1) === 1
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)]
    set(far, near, isDark)
    set(near, far, isDark)
  }
}

/** In columns of two from the right, up and down; every second square is turned, as the mask asks. */
function placeBits(squares: Squares, bytes: readonly number[]) {
  const size = squares.length
  let bit = 0
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2)
    for (let step = 0; step < size; step++) {
      const isUpward = ((right + 1) & 2) === 0
      const y = isUpward ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        const row = squares[y]
        if (!row || row[x] !== undefined) continue
        const isOn = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
        row[x] = isOn !== ((x + y) % 2 === 0)
        bit++
      }
    }
}
