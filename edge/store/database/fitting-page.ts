// Reads pages of rows that may be large, so that each fits into one response of the database.

import { isTooLarge } from './storage-error.ts'

/** Halves the limit until the database can respond. The rows that are left out come after the ones that were read. */
export async function readFittingPage<Rows>(
  limit: number,
  read: (limit: number) => Promise<Rows>,
): Promise<Rows> {
  for (let size = limit; ; size = Math.ceil(size / 2)) {
    try {
      return await read(size)
    } catch (error) {
      if (size === 1 || !isTooLarge(error)) throw error
    }
  }
}
