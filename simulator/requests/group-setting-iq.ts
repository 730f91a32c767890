// Requests that change a group's subject, description and settings.
import { findChild, readText, type Stanza } from '../codec/stanza.ts'
import { changeDescription, changeSettings, renameGroup, type Settings } from '../groups/change-group.ts'
import { getGroup } from '../groups/group-rules.ts'
import { Refusal } from '../network/refusal-codes.ts'
import { type Handler, type RequestTable, requireCompanion } from './request.ts'

export const groupSettingRequests: RequestTable = {
  'w:g2 set subject'(request) {
    const { account } = requireCompanion(request)
    const { network, iq } = request
    renameGroup(network, getGroup(network, iq.attrs.to), account, readText(request.child))
    return []
  },

  'w:g2 set description'(request) {
    const { account } = requireCompanion(request)
    const { network, iq } = request
    const group = getGroup(network, iq.attrs.to)
    const { id, prev, delete: removed } = request.child?.attrs ?? {}
    const text = readText(findChild(request.child, 'body'))
    if (removed !== 'true' && (!id || !text)) throw new Refusal(400)
    const input = removed !== 'true' && id && text ? { id, text } : undefined
    changeDescription(network, group, account, input, prev)
    return []
  },

  'w:g2 set locked': handleSetting(() => ({ locked: true })),
  'w:g2 set unlocked': handleSetting(() => ({ locked: false })),
  'w:g2 set announcement': handleSetting(() => ({ announce: true })),
  'w:g2 set not_announcement': handleSetting(() => ({ announce: false })),
  'w:g2 set not_ephemeral': handleSetting(() => ({ ephemeral: 0 })),
  'w:g2 set ephemeral': handleSetting((node) => {
    const ephemeral = Number(node?.attrs.expiration)
    if (!Number.isInteger(ephemeral) || ephemeral <= 0) throw new Refusal(400)
    return { ephemeral }
  }),
  'w:g2 set member_add_mode': handleSetting((node) => {
    const mode = readText(node)
    if (mode !== 'all_member_add' && mode !== 'admin_add') throw new Refusal(400)
    return { openAdding: mode === 'all_member_add' }
  }),
  'w:g2 set membership_approval_mode': handleSetting((node) => {
    const state = findChild(node, 'group_join')?.attrs.state
    if (state !== 'on' && state !== 'off') throw new Refusal(400)
    return { approval: state === 'on' }
  }),
}

function handleSetting(read: (node: Stanza | undefined) => Settings): Handler {
  return (request) => {
    const { account } = requireCompanion(request)
    const { network, iq } = request
    changeSettings(network, getGroup(network, iq.attrs.to), account, read(request.child))
    return []
  }
}
