// Statements are prepared once a connection. The client prepares anew for every call, which takes longer than most calls.

import Database from 'libsql'

type Prepared = Database.Statement<unknown[]>

/** More than there are with a fixed text; those whose text depends on a question would go on for ever. */
const KEPT_AT_MOST = 200

/** For every connection that is opened from here on. */
export function keepStatements(): void {
  if (Database.prototype.prepare === prepareOnce) return
  Database.prototype.prepare = prepareOnce as typeof prepare
}

// One for all: it is thrown at every write, and a trace would cost more than the write.
const NO_DATA = new TypeError('the statement returns no data')

const { prepare } = Database.prototype
const kept = new WeakMap<Database.Database, Map<string, Prepared>>()

function prepareOnce(this: Database.Database, text: string): Prepared {
  const mine = kept.get(this) ?? new Map<string, Prepared>()
  kept.set(this, mine)
  const known = mine.get(text)
  if (known) return known
  if (mine.size >= KEPT_AT_MOST) mine.clear()
  const made = settled(prepare.call(this, text))
  mine.set(text, made)
  return made
}

/** What the client asks of a statement and sets on it is the same at every call, its columns too: no statement says `*`. */
function settled(statement: Prepared): Prepared {
  statement.safeIntegers(true)
  const columns = columnsOf(statement)
  return Object.assign(statement, {
    safeIntegers: () => statement,
    raw() {
      if (columns) return statement
      throw NO_DATA
    },
    columns: () => columns ?? [],
  })
}

/** Undefined for a statement that returns no data, which cannot be made to return it raw. */
function columnsOf(statement: Prepared): Database.ColumnDefinition[] | undefined {
  try {
    return statement.raw(true).columns()
  } catch {
    return undefined
  }
}
