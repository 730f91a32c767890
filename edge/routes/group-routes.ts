// Handlers for groups that need more than one act: the list in pages, and pictures.

import type { Context } from 'hono'
import type { GroupChanged, GroupRecord } from '../../shared/contract/responses/group-responses.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import type { Handlers } from '../http/serve-route.ts'
import { validatePicture, withPicture } from '../media/picture-input.ts'
import type { EdgeEnv } from '../request-context.ts'
import { requireLoggedIn, validateAfterSession } from './session-dispatch.ts'

const isYes = (flag: string | undefined): boolean => flag === 'true' || flag === '1'

export const groupHandlers = {
  async listGroups(c, { query }) {
    const [force, participants] = [isYes(query.force), !isYes(query.noparticipants)]
    return { groups: await listAllGroups(c, { force, participants }) }
  },

  async changeGroupImage(c, { body: { groupjid, image } }) {
    const instance = validateAfterSession(
      () => requireLoggedIn(c),
      () => validatePicture(c, image),
    )
    const { pictureId } = await withPicture(c, instance, image, (parcel) =>
      dispatchAction(c, instance, 'group.updateImage', { groupjid, parcel }),
    )
    return describeChange(pictureId)
  },
} satisfies Partial<Handlers>

/** The host responds in pages, because a frame has a size limit. */
export async function listAllGroups(
  c: Context<EdgeEnv>,
  input: { force: boolean; participants: boolean },
): Promise<GroupRecord[]> {
  const instance = requireLoggedIn(c)
  const groups: GroupRecord[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page: { groups: GroupRecord[]; next: string | null } = await dispatchAction(
      c,
      instance,
      'group.list',
      { ...input, after },
    )
    groups.push(...page.groups)
    after = page.next
  }
  return groups
}

const describeChange = (pictureId: string): GroupChanged => ({
  response: pictureId ? 'Group image updated' : 'Group image removed',
  needs_refresh: true,
  ...(pictureId && { pictureId }),
})
