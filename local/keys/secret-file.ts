// A secret in a file of its own that only its owner reads.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** What the file holds; `make` is asked when there is none yet. */
export function keepSecret(file: string, make: () => string): string {
  if (!existsSync(file)) writeSecret(file, make())
  return readFileSync(file, 'utf8').trim()
}

/** Whole or not at all: a torn seal key would make every credential unreadable. */
export function writeSecret(file: string, text: string): void {
  const draft = `${file}.draft`
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}
