// The list of groups in pages, with a search by name, for clients of the API family.

import * as z from 'zod'
import type { GroupRecord } from '../../shared/contract/answers/group.ts'
import { paginationOf } from '../../shared/contract/answers/pagination.ts'

/** The default size of a page. */
const PAGE = 50
const MOST = 1000

const No = z.boolean().optional()
const Size = z.int().min(1).max(MOST)

export const GroupListRequest = z.object({
  limit: Size.optional(),
  offset: z.int().min(0).optional(),
  /** Another way to name the page, counted from 1. */
  page: z.int().min(1).default(1),
  pageSize: Size.default(PAGE),
  search: z.string().max(256).default(''),
  force: No,
  noParticipants: No,
})

type Asked = z.output<typeof GroupListRequest>

export function groupPage(all: GroupRecord[], { search, page, pageSize, ...asked }: Asked) {
  const limit = asked.limit ?? pageSize
  const offset = asked.offset ?? (page - 1) * limit
  const wanted = search.trim().toLowerCase()
  const found = all.filter(
    ({ JID, Name }) => wanted === '' || Name.toLowerCase().includes(wanted) || JID.includes(wanted),
  )
  return {
    groups: found.slice(offset, offset + limit),
    pagination: paginationOf(found.length, limit, offset),
  }
}
