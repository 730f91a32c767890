// Handlers for groups that need more than one act: the list in pages, and pictures.

import type { Context } from 'hono'
import type { GroupChanged, GroupRecord } from '../../shared/contract/answers/group.ts'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { judgePicture, withPicture } from '../media/pictures.ts'
import { judgedLast, loggedIn } from './session-acts.ts'

const isYes = (flag: string | undefined): boolean => flag === 'true' || flag === '1'

export const groupHandlers = {
  async listGroups(c, { query }) {
    const [force, participants] = [isYes(query.force), !isYes(query.noparticipants)]
    return { groups: await groupsOf(c, { force, participants }) }
  },

  async changeGroupImage(c, { body: { groupjid, image } }) {
    const instance = judgedLast(
      () => loggedIn(c),
      () => judgePicture(c, image),
    )
    const { pictureId } = await withPicture(c, instance, image, (parcel) =>
      act(c, instance, 'group.updateImage', { groupjid, parcel }),
    )
    return changed(pictureId)
  },
} satisfies Partial<Handlers>

/** The host answers in pages, because a frame has a size limit. */
export async function groupsOf(
  c: Context<EdgeEnv>,
  asked: { force: boolean; participants: boolean },
): Promise<GroupRecord[]> {
  const instance = loggedIn(c)
  const groups: GroupRecord[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page: { groups: GroupRecord[]; next: string | null } = await act(c, instance, 'group.list', {
      ...{ ...asked, after },
    })
    groups.push(...page.groups)
    after = page.next
  }
  return groups
}

const changed = (pictureId: string): GroupChanged => ({
  response: pictureId ? 'Group image updated' : 'Group image removed',
  needs_refresh: true,
  ...(pictureId && { pictureId }),
})
