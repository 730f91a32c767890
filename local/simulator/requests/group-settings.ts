// Requests that change what a group is called and how it is set.
import { child, type Stanza, stanza, textOf } from '../codec/stanza.ts'
import { addModeNode, approvalNode } from '../groups/group-node.ts'
import { tellMembers } from '../groups/notices.ts'
import { acceptableSubject, groupAt, LONGEST_DESCRIPTION, mayDescribe, mustBeAdmin } from '../groups/rules.ts'
import { Refusal } from '../network/refusal.ts'
import type { Group } from '../store/groups.ts'
import { asking, type Handler, type RequestTable } from './request.ts'

export const groupSettingRequests: RequestTable = {
  'w:g2 set subject'(request) {
    const { account } = asking(request)
    const { network, iq } = request
    const group = groupAt(network, iq.attrs.to)
    mayDescribe(network, group, account)
    const text = acceptableSubject(textOf(request.child))
    const at = Date.now()
    network.store.groups.save({ ...group, subject: { text, by: account.number, at } })
    tellMembers(
      network,
      group,
      account,
      stanza('subject', { subject: text, s_t: String(Math.floor(at / 1000)) }),
    )
    return []
  },

  'w:g2 set description'(request) {
    const { account } = asking(request)
    const { network, iq } = request
    const group = groupAt(network, iq.attrs.to)
    mayDescribe(network, group, account)
    const { id, prev } = request.child?.attrs ?? {}
    // Whoever writes over a description that he has not seen is told so.
    if (prev !== group.description?.id) throw new Refusal(409)
    const text = textOf(child(request.child, 'body'))
    if (request.child?.attrs.delete === 'true') {
      network.store.groups.save({ ...group, description: undefined })
      tellMembers(network, group, account, stanza('description', { delete: 'true' }))
      return []
    }
    if (!id || !text) throw new Refusal(400)
    if (text.length > LONGEST_DESCRIPTION) throw new Refusal(406)
    const description = { id, text, by: account.number, at: Date.now() }
    network.store.groups.save({ ...group, description })
    const body = stanza('body', {}, Buffer.from(text))
    tellMembers(network, group, account, stanza('description', { id }, [body]))
    return []
  },

  'w:g2 set locked': setting(() => ({ locked: true })),
  'w:g2 set unlocked': setting(() => ({ locked: false })),
  'w:g2 set announcement': setting(() => ({ announce: true })),
  'w:g2 set not_announcement': setting(() => ({ announce: false })),
  'w:g2 set not_ephemeral': setting(() => ({ ephemeral: 0 })),
  'w:g2 set ephemeral': setting((asked) => {
    const ephemeral = Number(asked.attrs.expiration)
    if (!Number.isInteger(ephemeral) || ephemeral <= 0) throw new Refusal(400)
    return { ephemeral }
  }),
  'w:g2 set member_add_mode': setting((asked) => {
    const mode = textOf(asked)
    if (mode !== 'all_member_add' && mode !== 'admin_add') throw new Refusal(400)
    return { openAdding: mode === 'all_member_add' }
  }, addMode),
  'w:g2 set membership_approval_mode': setting((asked) => {
    const state = child(asked, 'group_join')?.attrs.state
    if (state !== 'on' && state !== 'off') throw new Refusal(400)
    return { approval: state === 'on' }
  }, approvalMode),
}

type Change = Partial<Group>

/** A setting is for admins; the notice repeats what was asked. */
function setting(
  read: (asked: Stanza) => Change,
  notice: (group: Group) => Stanza | undefined = () => undefined,
): Handler {
  return (request) => {
    const { account } = asking(request)
    const { network, iq, child: asked = stanza('') } = request
    const group = groupAt(network, iq.attrs.to)
    mustBeAdmin(network, group, account)
    const changed = { ...group, ...read(asked) }
    network.store.groups.save(changed)
    tellMembers(network, changed, account, notice(changed) ?? stanza(asked.tag, asked.attrs))
    return []
  }
}

function addMode({ openAdding }: Group): Stanza {
  return addModeNode(openAdding)
}

function approvalMode({ approval }: Group): Stanza {
  return approvalNode(approval)
}
