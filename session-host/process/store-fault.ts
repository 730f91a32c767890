// Faults of the store and of the disk below it, as opposed to errors in a statement.

const sentences = {
  full: 'the disk is full',
  read_only: 'the store cannot be written: it or its folder is read-only',
  damaged: 'the store is damaged: restore it from a copy',
  locked: 'the store is locked by another process',
  unresponsive: 'the store did not respond in time',
  unreachable: 'the store cannot be reached',
  newer: 'a newer version has changed the store: start that version again, or restore a backup from before',
  unreleased:
    'the store was made before the first release, and this version cannot use it: start with an empty one (a new DATA_DIR). What is to be kept, export with the version that made it',
  failed: 'the store cannot be read or written',
} as const

export type StoreFaultKind = keyof typeof sentences

export class StoreFault extends Error {
  readonly kind: StoreFaultKind

  constructor(kind: StoreFaultKind, options?: ErrorOptions) {
    super(sentences[kind], options)
    this.kind = kind
  }
}

/** The kinds by the codes of SQLite, of the file system and of a server's client. */
const kinds: [RegExp, StoreFaultKind][] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'full'],
  [/^(SQLITE_READONLY|SQLITE_PERM|EROFS|EACCES|EPERM)/, 'read_only'],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, 'damaged'],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/, 'locked'],
  [/^(SERVER_ERROR|HRANA)/, 'unreachable'],
  [/^(SQLITE_IOERR|SQLITE_CANTOPEN|ENOTDIR|ENOENT|EMFILE|ENFILE|EIO)/, 'failed'],
]

/** The fault of the store that `error` is or was caused by, if any. */
export function findStoreFault(error: unknown): StoreFault | undefined {
  if (error instanceof StoreFault) return error
  if (!(error instanceof Error)) return
  const code = 'code' in error ? String(error.code) : ''
  // SQLite has no code of its own for a file that has lost its tables.
  const kind = /no such table/.test(error.message) ? 'damaged' : kinds.find(([form]) => form.test(code))?.[1]
  return kind ? new StoreFault(kind, { cause: error }) : findStoreFault(error.cause)
}

/** For what is undefined where something else than the store failed. */
export function throwStoreFault(error: unknown): undefined {
  const fault = findStoreFault(error)
  if (fault) throw fault
}
