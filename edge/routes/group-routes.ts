// Handlers for groups that need more than one act: the list in pages, and pictures.

import type { routes } from '@msgnet/shared/api/api.ts'
import type { QueryOf } from '@msgnet/shared/api/route-declaration.ts'
import type { GroupChanged, GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import type { Handlers } from '../http/serve-route.ts'
import { writeList, writePage } from '../http/streamed-body.ts'
import { validatePicture, withPicture } from '../media/picture-input.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { requireLoggedIn, validateAfterSession } from './session-dispatch.ts'

const isYes = (flag: string | undefined): boolean => flag === 'true' || flag === '1'

export const groupHandlers = {
  listGroups: (c, { query }) => respondWithGroups(c, query),

  async changeGroupImage(c, { body: { groupjid, image } }) {
    const instance = await validateAfterSession(
      () => requireLoggedIn(c),
      () => validatePicture(c, image),
    )
    const { pictureId } = await withPicture(c, instance, image, (parcel) =>
      dispatchAction(c, instance, 'group.updateImage', { groupjid, parcel }),
    )
    return describeChange(pictureId)
  },
} satisfies Partial<Handlers>

const ENDS = ['{"groups":[', ']}'] as const

/** An account of many large groups has a hundred megabytes of them: they are sent as they come from the host. `convert`: to the form of the response. */
export async function respondWithGroups(
  c: Context<EdgeEnv>,
  { force, noparticipants }: QueryOf<typeof routes.listGroups>,
  convert: (group: GroupRecord) => unknown = (group) => group,
): Promise<Response> {
  const pages = listGroupPages(c, { force: isYes(force), participants: !isYes(noparticipants) })
  const list = await writeList(writePages(pages, convert), (page) => ENDS.join(page), ENDS)
  return c.body(list, 200, { 'content-type': 'application/json' })
}

async function* writePages(
  pages: AsyncGenerator<GroupRecord[]>,
  convert: (group: GroupRecord) => unknown,
): AsyncGenerator<string> {
  for await (const groups of pages) yield writePage(groups.map(convert))
}

/** The host responds in pages, because a frame has a size limit. */
export async function* listGroupPages(
  c: Context<EdgeEnv>,
  input: { force: boolean; participants: boolean },
): AsyncGenerator<GroupRecord[]> {
  const instance = requireLoggedIn(c)
  for (let after: string | null = ''; after !== null; ) {
    const page: { groups: GroupRecord[]; next: string | null } = await dispatchAction(
      c,
      instance,
      'group.list',
      { ...input, after },
      { isPartial: after !== '' },
    )
    yield page.groups
    after = page.next
  }
}

const describeChange = (pictureId: string): GroupChanged => ({
  response: pictureId ? 'Group image updated' : 'Group image removed',
  needs_refresh: true,
  ...(pictureId && { pictureId }),
})
