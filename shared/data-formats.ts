// The formats of stored data. A version that finds a higher number than its own refuses to start, instead of failing later.

/**
 * Raised by a change after which an older version cannot use the data: other keys, another meaning of a column, a column that is
 * dropped. The numbers of the databases are in `PRAGMA user_version`, set by the change itself.
 */
export const formats = { folder: 1, edge: 1, host: 0 }
