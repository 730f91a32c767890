// What an error of Node's own SQLite (`node:sqlite`) means, by the result code of SQLite (https://www.sqlite.org/rescode.html).

const SQLITE_BUSY = 5
const SQLITE_FULL = 13

const readCode = (error: unknown): unknown => (error as { errcode?: unknown }).errcode

/** Another connection has locked the file. */
export const isLockedElsewhere = (error: unknown): boolean => readCode(error) === SQLITE_BUSY

/** The disk is full. */
export const isDiskFull = (error: unknown): boolean => readCode(error) === SQLITE_FULL
