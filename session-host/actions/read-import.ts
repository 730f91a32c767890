// Reads the lines of a credential that is imported, one after another, as they come.

import { ImportEnd, ImportHead, ImportRow, parseImportLine } from '@msgnet/shared/contract/import-lines.ts'
import { limits, MIB } from '@msgnet/shared/contract/limits.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import type * as z from 'zod'
import type { CredentialImport, ImportedCredential } from '../driver/driver.ts'
import { LoopShare } from '../process/loop-share.ts'

const NEWLINE = 0x0a
/** What takes the thread of the sessions some ten milliseconds is read in another. */
const LARGE_BYTES = 64 * 1024
/** The first line, `creds`, and the last. */
const MAX_FIRST_BYTES = 256 * 1024
/** `creds` are the first row. */
const CREDS_LINE = 2

/** The body cannot be used. */
export class ImportRefused extends Error {
  readonly outcome: RefusedOutcome

  constructor(outcome: RefusedOutcome) {
    super(outcome.message)
    this.outcome = outcome
  }
}

export interface ReadImport {
  credential: ImportedCredential
  rows: number
  /** How many of each kind. */
  kinds: Record<string, number>
}

/** Throws ImportRefused with the number of the first wrong line. */
export async function readImport(
  body: AsyncIterable<Uint8Array>,
  beginImport: (account: string) => CredentialImport,
): Promise<ReadImport> {
  const lines = new ImportLines(beginImport)
  const share = new LoopShare()
  try {
    for await (const line of splitLines(body, () => share.begin())) {
      if (lines.isLargeRow(line)) {
        await lines.addLargeRow(line)
        share.begin()
      } else lines.addLine(line)
      await share.rest()
    }
    return await lines.finish()
  } finally {
    lines.close()
  }
}

class ImportLines {
  readonly #beginImport: (account: string) => CredentialImport
  #line = 0
  #import: CredentialImport | undefined
  #rows = 0
  #hasEnded = false
  readonly #kinds = new Map<string, number>()

  constructor(beginImport: (account: string) => CredentialImport) {
    this.#beginImport = beginImport
  }

  /** It is read in another thread. */
  isLargeRow({ length }: Uint8Array): boolean {
    return length > LARGE_BYTES && this.#rows > 0 && !this.#hasEnded
  }

  async addLargeRow(bytes: Uint8Array): Promise<void> {
    this.#line += 1
    const added = await this.#import?.addLargeLine(bytes)
    if (typeof added === 'string') this.#refuse(added)
    if (added) this.#countRow(added.kind)
  }

  close(): void {
    this.#import?.close()
  }

  addLine(bytes: Uint8Array): void {
    this.#line += 1
    if (bytes.length > MAX_FIRST_BYTES)
      this.#refuse(`It is larger than ${MAX_FIRST_BYTES / 1024} KiB, which only rows behind creds may be.`)
    if (this.#hasEnded && isBlank(bytes)) return
    if (this.#hasEnded) this.#refuse('It comes after the last line, {"end":true,"rows":N}.')
    const value = parseImportLine(bytes)
    if (typeof value === 'string') this.#refuse(value)
    if (!this.#import) this.#import = this.#beginImport(this.#parse(ImportHead, value).account)
    else if ('end' in value) this.#end(this.#parse(ImportEnd, value).rows)
    else this.#addRow(this.#import, this.#parse(ImportRow, value))
  }

  async finish(): Promise<ReadImport> {
    this.#line += 1
    if (!this.#import || !this.#hasEnded)
      this.#refuse('It is missing: without the last line, {"end":true,"rows":N}, the body is torn.')
    return {
      credential: await this.#import.finish(),
      rows: this.#rows,
      kinds: Object.fromEntries(this.#kinds),
    }
  }

  #addRow(credential: CredentialImport, row: ImportRow): void {
    const problem = credential.addRow(row)
    if (problem) this.#refuse(problem)
    this.#countRow(row.kind)
  }

  #countRow(kind: string): void {
    if (this.#rows >= limits.maxImportRows) this.#refuse(`There are more than ${limits.maxImportRows} rows.`)
    this.#rows += 1
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
  }

  #end(rows: number): void {
    if (this.#rows === 0) this.#refuse('It is the last line, and no row of creds came.')
    if (rows !== this.#rows) this.#refuse(`It says ${rows} rows, and ${this.#rows} came.`)
    const gap = this.#import?.findGap()
    if (gap) throw refuseLine(CREDS_LINE, gap)
    this.#hasEnded = true
  }

  #parse<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
    const parsed = shape.safeParse(value, issueMessages)
    return parsed.success ? parsed.data : this.#refuse(describeFirstIssue(parsed.error))
  }

  #refuse(why: string): never {
    throw refuseLine(this.#line, why)
  }
}

const SPACES = [0x20, 0x09, 0x0d]
const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => SPACES.includes(byte))

const refuseLine = (line: number, why: string): ImportRefused =>
  new ImportRefused(createRefusal('invalid_body', `Line ${line}: ${why}`))

/** Without the newlines; the last line needs none. */
async function* splitLines(
  body: AsyncIterable<Uint8Array>,
  onPiece: () => void,
): AsyncGenerator<Uint8Array, void> {
  let begun: Uint8Array[] = []
  let begunBytes = 0
  let lines = 0
  let total = 0
  const add = (piece: Uint8Array) => {
    begunBytes += piece.length
    if (begunBytes > limits.maxImportLineBytes)
      throw refuseLine(lines + 1, `It is larger than ${limits.maxImportLineBytes / MIB} MiB.`)
    if (piece.length > 0) begun.push(piece)
  }
  const take = () => {
    const line = begun.length === 1 && begun[0] ? begun[0] : Buffer.concat(begun)
    begun = []
    begunBytes = 0
    lines += 1
    return line
  }
  for await (const piece of body) {
    total += piece.length
    if (total > limits.maxImportBytes) throw new ImportRefused(createRefusal('body_too_large'))
    onPiece()
    let from = 0
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      add(piece.subarray(from, end))
      from = end + 1
      yield take()
    }
    add(piece.subarray(from))
  }
  if (begunBytes > 0) yield take()
}
