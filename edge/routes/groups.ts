// Groups, as far as it takes more than one question to the session: the list in pages, and pictures.

import type { GroupChanged, GroupRecord } from '../../shared/contract/answers/group.ts'
import { limits } from '../../shared/contract/version.ts'
import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { readMediaInput } from '../media/input.ts'
import { withUpload } from '../media/transfers.ts'
import { loggedIn } from './session-acts.ts'

const isYes = (flag: string | undefined): boolean => flag === 'true' || flag === '1'

export const groupHandlers = {
  /** The host tells them in pages, because a frame carries only so much. */
  async listGroups(c, { query }) {
    const [force, participants] = [isYes(query.force), !isYes(query.noparticipants)]
    const instance = loggedIn(c)
    const groups: GroupRecord[] = []
    for (let after: string | null = ''; after !== null; ) {
      const page: { groups: GroupRecord[]; next: string | null } = await act(c, instance, 'group.list', {
        ...{ force, participants, after },
      })
      groups.push(...page.groups)
      after = page.next
    }
    return { groups }
  },

  async changeGroupImage(c, { body: { groupjid, image } }) {
    const instance = loggedIn(c)
    const terms = { field: 'image', broken: 'invalid_image', tooLarge: 'image_too_large' } as const
    if (c.var.claim?.recalling || image === 'remove' || image === 'delete') {
      const { pictureId } = await act(c, instance, 'group.updateImage', { groupjid, parcel: '' })
      return changed(pictureId)
    }
    const { bytes } = await readMediaInput(c.env, image, {
      ...terms,
      instance: instance.id,
      atMost: limits.imageBytes,
    })
    const { pictureId } = await withUpload(c, instance, bytes, (parcel) =>
      act(c, instance, 'group.updateImage', { groupjid, parcel }),
    )
    return changed(pictureId)
  },
} satisfies Partial<Handlers>

const changed = (pictureId: string): GroupChanged => ({
  response: pictureId ? 'Group image updated' : 'Group image removed',
  needs_refresh: true,
  ...(pictureId && { pictureId }),
})
