// What an instance does with groups.

import type * as z from 'zod'
import type { GroupChanged, GroupList, GroupRecord, ParticipantsResult } from '../contract/answers/group.ts'
import type * as asked from '../contract/group.ts'
import type { Call, Options, Repeatable } from './call.ts'

export function groupCalls(call: Call) {
  const changing =
    <Request extends object, Answer>(path: string) =>
    (request: Request, options?: Repeatable) =>
      call<Answer>('POST', path, { body: request, options, once: true })
  return {
    listGroups: (
      { force, noparticipants }: { force?: boolean; noparticipants?: boolean } = {},
      options?: Options,
    ) => {
      const query = { ...(force && { force: 'true' }), ...(noparticipants && { noparticipants: 'true' }) }
      return call<GroupList>('GET', '/group/list', { query, options })
    },
    showGroup: (request: z.input<typeof asked.GroupInfo>, options?: Options) =>
      call<GroupRecord>('POST', '/group/info', { body: request, options }),
    createGroup: changing<z.input<typeof asked.GroupCreate>, GroupRecord>('/group/create'),
    changeParticipants: changing<z.input<typeof asked.GroupParticipantsChange>, ParticipantsResult>(
      '/group/updateParticipants',
    ),
    renameGroup: changing<z.input<typeof asked.GroupNameChange>, GroupChanged>('/group/updateName'),
    /** A data URI, base64 or a URL; `remove` takes the picture away. */
    changeGroupImage: changing<z.input<typeof asked.GroupImageChange>, GroupChanged>('/group/updateImage'),
  }
}
