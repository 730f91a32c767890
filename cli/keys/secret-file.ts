// A secret in a separate file that only its owner can read.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Reads the file's secret; `create` makes a new one if there is no file yet. */
export function loadSecret(file: string, create: () => string): string {
  if (!existsSync(file)) writeSecret(file, create())
  return readFileSync(file, 'utf8').trim()
}

/** Writes the file as a whole: a half-written seal key would make every credential unreadable. */
export function writeSecret(file: string, text: string): void {
  const draft = `${file}.draft`
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}
