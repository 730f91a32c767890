// The position of a page in a list, in the form of the API family.

import * as z from 'zod'

export const Pagination = z.object({
  totalRecords: z.int(),
  pageSize: z.int(),
  currentPage: z.int().describe('Counts from 1.'),
  totalPages: z.int(),
  hasNextPage: z.boolean(),
  hasPreviousPage: z.boolean(),
  limit: z.int(),
  offset: z.int(),
})
export type Pagination = z.infer<typeof Pagination>

export function toPagination(totalRecords: number, limit: number, offset: number): Pagination {
  return {
    totalRecords,
    pageSize: limit,
    currentPage: Math.floor(offset / limit) + 1,
    totalPages: Math.ceil(totalRecords / limit),
    hasNextPage: offset + limit < totalRecords,
    hasPreviousPage: offset > 0,
    limit,
    offset,
  }
}
