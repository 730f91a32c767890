// Groups: known, founded and changed through the session of the instance.

import type { Context } from 'hono'
import type {
  GroupChanged,
  GroupList,
  GroupRecord,
  ParticipantsResult,
} from '../../shared/contract/answers/group.ts'
import type * as asked from '../../shared/contract/group.ts'
import { limits } from '../../shared/contract/version.ts'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import type { Taking } from '../http/body.ts'
import { wordQuery } from '../http/query.ts'
import { readMediaInput } from '../media/input.ts'
import { withUpload } from '../media/transfers.ts'
import { loggedIn } from './session-acts.ts'

const yesNo = ['true', 'false', '1', '0'] as const
const isYes = (c: Context<EdgeEnv>, name: string) =>
  ['true', '1'].includes(wordQuery(c, name, yesNo, 'invalid_query') ?? '')

/** The host tells them in pages, because a frame carries only so much. */
export async function listGroups(c: Context<EdgeEnv>) {
  const force = isYes(c, 'force')
  const participants = !isYes(c, 'noparticipants')
  const instance = loggedIn(c)
  const groups: GroupRecord[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page: { groups: GroupRecord[]; next: string | null } = await act(c, instance, 'group.list', {
      ...{ force, participants, after },
    })
    groups.push(...page.groups)
    after = page.next
  }
  return c.json<GroupList>({ groups })
}

export async function showGroup(c: Taking<typeof asked.GroupInfo>) {
  return c.json<GroupRecord>(await act(c, loggedIn(c), 'group.info', c.req.valid('json')))
}

export async function createGroup(c: Taking<typeof asked.GroupCreate>) {
  return c.json<GroupRecord>(await act(c, loggedIn(c), 'group.create', c.req.valid('json')))
}

export async function changeParticipants(c: Taking<typeof asked.GroupParticipantsChange>) {
  return c.json<ParticipantsResult>(
    await act(c, loggedIn(c), 'group.updateParticipants', c.req.valid('json')),
  )
}

export async function renameGroup(c: Taking<typeof asked.GroupNameChange>) {
  await act(c, loggedIn(c), 'group.updateName', c.req.valid('json'))
  return c.json<GroupChanged>({ response: 'Group name updated', needs_refresh: true })
}

export async function changeGroupImage(c: Taking<typeof asked.GroupImageChange>) {
  const { groupjid, image } = c.req.valid('json')
  const terms = { field: 'image', broken: 'invalid_image', tooLarge: 'image_too_large' } as const
  if (c.var.claim?.recalling || image === 'remove' || image === 'delete') {
    const { pictureId } = await act(c, loggedIn(c), 'group.updateImage', { groupjid, parcel: '' })
    return c.json<GroupChanged>(changed(pictureId))
  }
  const instance = loggedIn(c)
  const { bytes } = await readMediaInput(c.env, image, {
    ...terms,
    instance: instance.id,
    atMost: limits.imageBytes,
  })
  const { pictureId } = await withUpload(c, instance, bytes, (parcel) =>
    act(c, instance, 'group.updateImage', { groupjid, parcel }),
  )
  return c.json<GroupChanged>(changed(pictureId))
}

const changed = (pictureId: string): GroupChanged => ({
  response: pictureId ? 'Group image updated' : 'Group image removed',
  needs_refresh: true,
  ...(pictureId && { pictureId }),
})
