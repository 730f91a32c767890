// The keys of a client of the library in memory, and the lines that a credential is imported by.

import type { SignalDataTypeMap } from 'baileys'

type Row = { kind: string; id: string; value: unknown }

/** What the library asks of its store, for either of its lines. */
export class MemoryKeys {
  readonly #kinds = new Map<string, Map<string, unknown>>()

  async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
    const found: Record<string, SignalDataTypeMap[T]> = {}
    for (const id of ids) {
      const value = this.#kinds.get(kind)?.get(id)
      if (value !== undefined) found[id] = value as SignalDataTypeMap[T]
    }
    return found
  }

  async set(data: Record<string, Record<string, unknown> | undefined>) {
    for (const [kind, entries] of Object.entries(data)) {
      const known = this.#kinds.get(kind) ?? new Map<string, unknown>()
      this.#kinds.set(kind, known)
      for (const [id, value] of Object.entries(entries ?? {})) {
        if (value === null || value === undefined) known.delete(id)
        else known.set(id, structuredClone(value))
      }
    }
  }

  listRows(): Row[] {
    return [...this.#kinds].flatMap(([kind, values]) =>
      [...values].map(([id, value]) => ({ kind, id, value })),
    )
  }
}

export interface LinesToWrite {
  account: string
  creds: unknown
  keys: Pick<MemoryKeys, 'listRows'>
  /** The library's own. */
  replacer(name: string, value: unknown): unknown
}

/** As a program would write them that keeps the library's keys elsewhere. */
export function writeImportLines({ account, creds, keys, replacer }: LinesToWrite): string[] {
  const rows = [{ kind: 'creds', id: '', value: creds }, ...keys.listRows()]
  return [{ format: 'baileys', account }, ...rows, { end: true, rows: rows.length }].map((line) =>
    JSON.stringify(line, replacer),
  )
}

export const joinLines = (lines: string[]): string => lines.map((line) => `${line}\n`).join('')
