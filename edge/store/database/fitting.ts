// Pages of rows that may be large: no longer than one answer of the database carries.

import { isTooLarge } from './storage-error.ts'

/** Half as many again and again, until the database can answer. What is left out is behind what was read. */
export async function fitting<Rows>(limit: number, read: (limit: number) => Promise<Rows>): Promise<Rows> {
  for (let size = limit; ; size = Math.ceil(size / 2)) {
    try {
      return await read(size)
    } catch (error) {
      if (size === 1 || !isTooLarge(error)) throw error
    }
  }
}
