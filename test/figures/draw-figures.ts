// Draws three figures as the picture of the README: what a message costs, what an account holds of memory, and what kills lost.

import type { Figures, Origin } from './figures.ts'

const TILE = { width: 280, height: 172, gap: 20 }

interface Tile {
  figure: string
  /** What it is, in lines that fit the tile. */
  lines: string[]
  /** How it was found. */
  command: string
  origin: Origin
}

export function drawFigures(figures: Figures): string {
  const tiles = listTiles(figures)
  const width = 3 * TILE.width + 2 * TILE.gap
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${TILE.height}" width="${width}" height="${TILE.height}" role="img" aria-label="${tiles.map(({ figure, lines }) => [figure, ...lines].join(' ')).join('; ')}">
<style>
text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328}
.figure{font-size:38px;font-weight:650}.origin{font-size:11px;fill:#59636e}
rect{fill:#f6f8fa;stroke:#d1d9e0}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.origin{fill:#9198a1}rect{fill:#151b23;stroke:#3d444d}}
</style>
${tiles.map(drawTile).join('\n')}
</svg>
`
}

const drawTile = ({ figure, lines, command, origin }: Tile, at: number): string => {
  const rows = lines.map((line, row) => `<text x="18" y="${84 + 19 * row}">${line}</text>`)
  return `<g transform="translate(${at * (TILE.width + TILE.gap)})"><rect x=".5" y=".5" width="${TILE.width - 1}" height="${TILE.height - 1}" rx="10"/>
<text class="figure" x="18" y="54">${figure}</text>
${rows.join('\n')}
<text class="origin" x="18" y="${TILE.height - 16}">${command}, ${origin.date}</text></g>`
}

function listTiles({ costs, sessions, kills }: Figures): Tile[] {
  const tiles: Tile[] = []
  const burst = costs?.rows.find(({ what }) => what === 'message in to 2xx, burst')
  if (costs && burst)
    tiles.push({
      figure: `${burst.total.toFixed(1)} ms`,
      lines: [
        'of processor time, from a message',
        'of the network to its signed webhook',
        `taken: ${burst.ratio?.toFixed(1)} × the library alone`,
      ],
      command: 'npm run bench -- --cost',
      origin: costs.origin,
    })
  if (sessions)
    tiles.push({
      figure: `${(sessions.memory.ours / sessions.count).toFixed(2)} MiB`,
      lines: [
        `of memory a linked account, with`,
        `${sessions.count.toLocaleString('en')} idle in one session host;`,
        `the library alone takes ${(sessions.memory.library / sessions.count).toFixed(2)} MiB`,
      ],
      command: 'npm run bench -- --sessions',
      origin: sessions.origin,
    })
  if (kills) tiles.push({ ...describeKills(kills), origin: kills.origin })
  return tiles
}

function describeKills({
  kills,
  messages,
  sends,
  lostMessages,
  doubledSends,
}: NonNullable<Figures['kills']>): Omit<Tile, 'origin'> {
  const total = Object.values(kills).reduce((sum, times) => sum + times, 0)
  return {
    figure: `${lostMessages} lost`,
    lines: [
      `of ${messages.toLocaleString('en')} messages, and ${doubledSends} of ${sends.toLocaleString('en')}`,
      'sends doubled, in one run with',
      `${total} times kill -9 under traffic`,
    ],
    command: 'npm run test:faults',
  }
}
