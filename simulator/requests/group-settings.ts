// Requests that change a group's subject, description and settings.
import { child, type Stanza, textOf } from '../codec/stanza.ts'
import { configure, describeAs, rename, type Settings } from '../groups/changing.ts'
import { groupAt } from '../groups/rules.ts'
import { Refusal } from '../network/refusal.ts'
import { asking, type Handler, type RequestTable } from './request.ts'

export const groupSettingRequests: RequestTable = {
  'w:g2 set subject'(request) {
    const { account } = asking(request)
    const { network, iq } = request
    rename(network, groupAt(network, iq.attrs.to), account, textOf(request.child))
    return []
  },

  'w:g2 set description'(request) {
    const { account } = asking(request)
    const { network, iq } = request
    const group = groupAt(network, iq.attrs.to)
    const { id, prev, delete: removed } = request.child?.attrs ?? {}
    const text = textOf(child(request.child, 'body'))
    if (removed !== 'true' && (!id || !text)) throw new Refusal(400)
    const wish = removed !== 'true' && id && text ? { id, text } : undefined
    describeAs(network, group, account, wish, prev)
    return []
  },

  'w:g2 set locked': setting(() => ({ locked: true })),
  'w:g2 set unlocked': setting(() => ({ locked: false })),
  'w:g2 set announcement': setting(() => ({ announce: true })),
  'w:g2 set not_announcement': setting(() => ({ announce: false })),
  'w:g2 set not_ephemeral': setting(() => ({ ephemeral: 0 })),
  'w:g2 set ephemeral': setting((asked) => {
    const ephemeral = Number(asked?.attrs.expiration)
    if (!Number.isInteger(ephemeral) || ephemeral <= 0) throw new Refusal(400)
    return { ephemeral }
  }),
  'w:g2 set member_add_mode': setting((asked) => {
    const mode = textOf(asked)
    if (mode !== 'all_member_add' && mode !== 'admin_add') throw new Refusal(400)
    return { openAdding: mode === 'all_member_add' }
  }),
  'w:g2 set membership_approval_mode': setting((asked) => {
    const state = child(asked, 'group_join')?.attrs.state
    if (state !== 'on' && state !== 'off') throw new Refusal(400)
    return { approval: state === 'on' }
  }),
}

function setting(read: (asked: Stanza | undefined) => Settings): Handler {
  return (request) => {
    const { account } = asking(request)
    const { network, iq } = request
    configure(network, groupAt(network, iq.attrs.to), account, read(request.child))
    return []
  }
}
