// The list of groups in pages, with a search by name, for clients of uazapi. It is sent while it is read: a page may be as large as all groups.

import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { toPagination } from '@msgnet/shared/contract/responses/pagination.ts'
import * as z from 'zod'
import { writePage } from '../http/streamed-body.ts'

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

/** The page as JSON, in parts. `convert`: to the form of the response. */
export async function* writeGroupPage(
  pages: AsyncGenerator<GroupRecord[]>,
  { search, page, pageSize, ...range }: GroupListInput,
  convert: (group: GroupRecord) => unknown,
): AsyncGenerator<string, void> {
  const limit = range.limit ?? pageSize
  const offset = range.offset ?? (page - 1) * limit
  const term = search.trim().toLowerCase()
  let total = 0
  let written = 0
  yield '{"groups":['
  for await (const some of pages) {
    const found = some.filter(
      ({ JID, Name }) => term === '' || Name.toLowerCase().includes(term) || JID.includes(term),
    )
    const from = Math.max(0, offset - total)
    const picked = found.slice(from, from + limit - written)
    total += found.length
    if (picked.length === 0) continue
    yield (written > 0 ? ',' : '') + writePage(picked.map(convert))
    written += picked.length
  }
  yield `],"pagination":${JSON.stringify(toPagination(total, limit, offset))}}`
}
