// first-day.jsonl: what has become of each step, a line each. A day that was cut off goes on by it.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'

export const Outcome = z.enum(['ok', 'failed', 'skipped'])

const DayEntry = z.object({
  at: z.string(),
  instance: z.string(),
  step: z.number(),
  outcome: Outcome,
  /** Without numbers, names and texts: the report shows them. */
  says: z.array(z.string()),
  /** Of a message with a file, which is fetched again later. */
  messageid: z.string().optional(),
  /** Lines of the protocol log, as it holds them. */
  stanzas: z.array(z.string()),
})
export type DayEntry = z.infer<typeof DayEntry>

export class DayLog {
  readonly #path: string
  readonly #instance: string
  readonly #last = new Map<number, DayEntry>()

  constructor(path: string, instance: string) {
    this.#path = path
    this.#instance = instance
    if (!existsSync(path)) return
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const entry = parseEntry(line)
      if (entry?.instance === instance) this.#last.set(entry.step, entry)
    }
  }

  findLast = (step: number): DayEntry | undefined => this.#last.get(step)

  append(entry: Pick<DayEntry, 'step' | 'outcome' | 'says' | 'stanzas' | 'messageid'>): DayEntry {
    const whole = { at: new Date().toISOString(), instance: this.#instance, ...entry }
    appendFileSync(this.#path, `${JSON.stringify(whole)}\n`, { mode: 0o600 })
    this.#last.set(whole.step, whole)
    return whole
  }
}

/** Undefined for a line that a killed run has left half written. */
function parseEntry(line: string): DayEntry | undefined {
  try {
    return DayEntry.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
