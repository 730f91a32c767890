// The list of groups in pages, with a search by name, for clients of uazapi.

import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { toPagination } from '@msgnet/shared/contract/responses/pagination.ts'
import * as z from 'zod'

/** The default size of a page. */
const DEFAULT_PAGE = 50
const MAX_PAGE = 1000

const Flag = z.boolean().optional()
const Size = z.int().min(1).max(MAX_PAGE)

export const GroupListRequest = z.object({
  limit: Size.optional(),
  offset: z.int().min(0).optional(),
  /** Another way to name the page, counted from 1. */
  page: z.int().min(1).default(1),
  pageSize: Size.default(DEFAULT_PAGE),
  search: z.string().max(256).default(''),
  force: Flag,
  noParticipants: Flag,
})

type GroupListInput = z.output<typeof GroupListRequest>

/** Reads all of them, and retains those of the page. */
export async function pickGroupPage(
  pages: AsyncGenerator<GroupRecord[]>,
  { search, page, pageSize, ...range }: GroupListInput,
) {
  const limit = range.limit ?? pageSize
  const offset = range.offset ?? (page - 1) * limit
  const term = search.trim().toLowerCase()
  const groups: GroupRecord[] = []
  let total = 0
  for await (const some of pages)
    for (const group of some) {
      const { JID, Name } = group
      if (term !== '' && !Name.toLowerCase().includes(term) && !JID.includes(term)) continue
      if (total >= offset && groups.length < limit) groups.push(group)
      total += 1
    }
  return { groups, pagination: toPagination(total, limit, offset) }
}
