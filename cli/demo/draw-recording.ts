// Draws what a command printed as a moving picture: an SVG in which its lines appear step by step, as fast as they are read.

/** Of a character, in pixels: two half blocks are two squares. */
const CELL = { width: 8, height: 16 }
const COLUMNS = 92
const ROWS = 34
const PADDING = 20
/** Seconds before a step, before its details, and after a QR code, which is larger than what was read before. */
const PAUSES = { step: 1.1, details: 0.5, code: 1.8 }
const END_PAUSE = 4

const ESCAPE = String.fromCharCode(27)
const COLOUR = new RegExp(`${ESCAPE}\\[([\\d;]*)m`, 'g')
const CODE_LINE = `${ESCAPE}[47m${ESCAPE}[30m`

/** Lines that appear together. */
interface Beat {
  lines: { row: number; text: string }[]
  /** In seconds. */
  at: number
}

/** `output`: with the escape sequences of a terminal. */
export function drawRecording(output: string): string {
  const beats = listBeats(output.trim().split('\n'))
  const duration = (beats.at(-1)?.at ?? 0) + END_PAUSE
  const toPercent = (at: number) => `${((100 * at) / duration).toFixed(2)}%`
  const rows = Math.max(...beats.flatMap(({ lines }) => lines.map(({ row }) => row))) + 1
  const [width, height] = [COLUMNS * CELL.width + 2 * PADDING, ROWS * CELL.height + 2 * PADDING]
  const computeScroll = (count: number) => -Math.max(0, count - ROWS) * CELL.height
  const steps = beats.map(({ at, lines }) => {
    const last = lines.at(-1)?.row ?? 0
    return `${toPercent(at)}{transform:translateY(${computeScroll(last + 1)}px)}`
  })
  const reveals = beats.map(
    ({ at }, index) => `@keyframes b${index}{0%{opacity:0}${toPercent(at)},100%{opacity:1}}
.b${index}{animation:b${index} ${duration.toFixed(1)}s step-end infinite}`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The demo in a terminal">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3;white-space:pre}
.bold{font-weight:700}.green{fill:#4ac38b}.dim{fill:#8b949e}
.all{transform:translateY(${computeScroll(rows)}px)}
@media (prefers-reduced-motion:no-preference){
.all{animation:scroll ${duration.toFixed(1)}s step-end infinite}
@keyframes scroll{0%{transform:translateY(0)}${steps.join('')}}
${reveals.join('\n')}
}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg x="${PADDING}" y="${PADDING}" width="${width - 2 * PADDING}" height="${height - 2 * PADDING}"><g class="all">
${beats.map(({ lines }, index) => `<g class="b${index}">${drawLines(lines)}</g>`).join('\n')}
</g></svg>
</svg>
`
}

function listBeats(lines: string[]): Beat[] {
  const beats: Beat[] = []
  let at = 0
  let kind = ''
  for (const [row, text] of lines.entries()) {
    const plain = text.replace(COLOUR, '')
    if (plain === '') continue
    const next = text.startsWith(CODE_LINE) ? 'code' : plain.startsWith(' ') ? 'details' : `step ${row}`
    if (next !== kind) {
      if (kind) at += kind === 'code' ? PAUSES.code : next === 'details' ? PAUSES.details : PAUSES.step
      beats.push({ at, lines: [] })
    }
    kind = next
    beats.at(-1)?.lines.push({ row, text })
  }
  return beats
}

function drawLines(lines: Beat['lines']): string {
  const code = lines.filter(({ text }) => text.startsWith(CODE_LINE))
  const [first] = code
  if (first)
    return drawCode(
      first.row,
      code.map(({ text }) => text.replace(COLOUR, '')),
    )
  return lines
    .map(({ row, text }) => {
      const colours = [...text.matchAll(COLOUR)].map(([, colour]) => colour)
      const names = { '1': 'bold', '32': 'green', '2': 'dim' }
      const style = Object.entries(names).flatMap(([colour, name]) =>
        colours.includes(colour) ? [name] : [],
      )
      const words = text.replace(COLOUR, '').replace(/[&<]/g, (char) => (char === '&' ? '&amp;' : '&lt;'))
      return `<text y="${row * CELL.height + 12}"${style.length > 0 ? ` class="${style.join(' ')}"` : ''}>${words}</text>`
    })
    .join('')
}

/** Squares, because the half blocks of fonts leave gaps through which no phone would read. */
function drawCode(row: number, lines: string[]): string {
  const half = CELL.height / 2
  // The last line is the lower edge only.
  const squares = lines
    .slice(0, -1)
    .flatMap((line, index) =>
      [...line].flatMap((char, column) => [
        ...('▀█'.includes(char) ? [[column, 2 * index]] : []),
        ...('▄█'.includes(char) ? [[column, 2 * index + 1]] : []),
      ]),
    )
  const columns = lines[0]?.length ?? 0
  const path = squares.map(([x = 0, y = 0]) => `M${x} ${y}h1v1h-1z`).join('')
  return `<g transform="translate(0 ${row * CELL.height}) scale(${half})"><rect width="${columns}" height="${2 * (lines.length - 1) + 1}" fill="#fff"/><path d="${path}" shape-rendering="crispEdges"/></g>`
}
