// move-in.jsonl: what has become of each account, a line a step. A run that was cut off goes on by it.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import * as z from 'zod'

const MoveStep = z.object({
  at: z.string(),
  /** The source, and the account within it. */
  source: z.string(),
  id: z.string(),
  name: z.string(),
  step: z.enum(['begun', 'created', 'moved', 'failed']),
  /** Of the request that creates the instance: repeated with it, there is one instance. */
  key: z.string().optional(),
  instance: z.string().optional(),
  /** Shown once, when the instance was created. */
  token: z.string().optional(),
  why: z.string().optional(),
})
export type MoveStep = z.infer<typeof MoveStep>

const formatId = ({ source, id }: Pick<MoveStep, 'source' | 'id'>) => JSON.stringify([source, id])

export class MoveLog {
  readonly #path: string
  readonly #last = new Map<string, MoveStep>()
  /** A run that was killed while it wrote has left a part of a line, which must stay apart from the next. */
  #isTorn = false

  constructor(path: string) {
    this.#path = path
    if (!existsSync(path)) return
    const text = readFileSync(path, 'utf8')
    this.#isTorn = text !== '' && !text.endsWith('\n')
    for (const line of text.split('\n')) {
      const step = parseStep(line)
      if (step) this.#last.set(formatId(step), step)
    }
  }

  findLast(account: Pick<MoveStep, 'source' | 'id'>): MoveStep | undefined {
    return this.#last.get(formatId(account))
  }

  /** On the disk before it returns. It holds tokens, so nobody else may read it. */
  append(entry: Omit<MoveStep, 'at'>): void {
    const step = { at: new Date().toISOString(), ...entry }
    const file = openSync(this.#path, 'a', 0o600)
    try {
      writeSync(file, `${this.#isTorn ? '\n' : ''}${JSON.stringify(step)}\n`)
      fsyncSync(file)
      this.#isTorn = false
    } finally {
      closeSync(file)
    }
    this.#last.set(formatId(step), step)
  }
}

function parseStep(line: string): MoveStep | undefined {
  try {
    return MoveStep.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
