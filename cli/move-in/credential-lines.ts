// Writes the rows of a source as the lines that an import takes.

import { explainId } from '@msgnet/shared/contract/import-ids.ts'
import { type ImportKind, type ImportRow, importKinds } from '@msgnet/shared/contract/import-lines.ts'
import type { StoredRow } from './moving-source.ts'

const CREDS = 'creds'
/** Small lines are sent together. */
const CHUNK_CHARACTERS = 64 * 1024

/** The longest first: some begin with the name of another. */
const kinds = [...importKinds].sort((one, other) => other.length - one.length)

interface RowName {
  kind: typeof CREDS | ImportKind
  id: string
}

/** Undefined for a kind that is not imported. */
function splitRowName(name: string): RowName | undefined {
  if (name === CREDS) return { kind: CREDS, id: '' }
  const kind = kinds.find((one) => name.startsWith(`${one}-`))
  return kind && { kind, id: name.slice(kind.length + 1) }
}

/** The lines of one account, written anew for each time that they are sent. */
export class CredentialLines {
  readonly #number: string
  readonly #readRows: () => AsyncIterable<StoredRow>
  /** Of the last writing: what was left out, and how often. */
  readonly #leftOut = new Map<string, number>()
  #failure: Error | undefined

  constructor(number: string, readRows: () => AsyncIterable<StoredRow>) {
    this.#number = number
    this.#readRows = readRows
  }

  open(): ReadableStream<Uint8Array> {
    this.#leftOut.clear()
    this.#failure = undefined
    return ReadableStream.from(this.#readSource())
  }

  /** Why the source could not be read the last time. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** Who sends the lines is told only that they ended. */
  async *#readSource(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#write()
    } catch (error) {
      this.#failure = error as Error
      throw error
    }
  }

  describeLeftOut(): string[] {
    return [...this.#leftOut].map(([what, count]) => `${count} ${what}`)
  }

  async *#write(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder()
    let text = formatLine({ format: 'baileys', account: `${this.#number}@s.msgnet.net` })
    let rows = 0
    for await (const row of this.#readRows()) {
      const line = this.#toRow(row)
      if (!line) continue
      rows += 1
      text += formatLine(line)
      if (text.length < CHUNK_CHARACTERS) continue
      yield encoder.encode(text)
      text = ''
    }
    yield encoder.encode(text + formatLine({ end: true, rows }))
  }

  /** A key that cannot be read is one that the other program could not read either: it has gone on without it. */
  #toRow({ name, json }: StoredRow): ImportRow | undefined {
    const row = splitRowName(name)
    if (!row) return this.#leaveOut(`of another kind, such as ${name.slice(0, 40)}`)
    // The other program never finds it again either.
    if (row.kind !== CREDS && explainId(row.kind, row.id))
      return this.#leaveOut(`of kind ${row.kind} whose id is none of that kind, such as ${name.slice(0, 40)}`)
    let value: unknown
    try {
      value = JSON.parse(json)
    } catch {
      return this.#leaveOut(`of kind ${row.kind} that cannot be read`)
    }
    // Deleted, in some stores.
    return value === null || value === undefined ? undefined : { ...row, value }
  }

  #leaveOut(what: string): undefined {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1)
  }
}

const formatLine = (line: object): string => `${JSON.stringify(line)}\n`
