// The figures that the pages show: a run with `--record` stores its own in docs/run/figures.json, and the page and the picture are made
// from that file again.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { drawFigures } from './draw-figures.ts'
import type { Figures, Origin } from './figures.ts'
import { writeFiguresPage } from './figures-page.ts'

const places = {
  figures: join(projectRoot, 'docs', 'run', 'figures.json'),
  page: join(projectRoot, 'docs', 'run', 'figures.md'),
  picture: join(projectRoot, 'docs', 'pictures', 'figures.svg'),
}

export const readFigures = (): Figures =>
  existsSync(places.figures) ? JSON.parse(readFileSync(places.figures, 'utf8')) : {}

/** What the page and the picture have to be, by their paths. */
export const renderFigures = (figures: Figures): Record<string, string> => ({
  [places.page]: writeFiguresPage(figures),
  [places.picture]: drawFigures(figures),
})

/** Replaces those of the same kind, and leaves the others. */
export function recordFigures(found: Figures): void {
  const figures = { ...readFigures(), ...found }
  writeFileSync(places.figures, `${JSON.stringify(figures, null, 2)}\n`)
  for (const [path, text] of Object.entries(renderFigures(figures))) writeFileSync(path, text)
}

export const describeOrigin = (): Origin => ({
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: projectRoot,
    encoding: 'utf8',
  }).trim(),
  cores: availableParallelism(),
  node: process.versions.node,
})
