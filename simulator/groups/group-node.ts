// Writes a group as the network describes it to its members.
import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { buildMemberAttrs } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import type { Group, Member } from '../store/group-table.ts'

/** The parts that are left out of a group's outline. */
export type GroupParts = { participants: boolean; description: boolean }
const EVERYTHING: GroupParts = { participants: true, description: true }

export function buildGroupNode(
  network: Network,
  group: Group,
  parts = EVERYTHING,
  more: Stanza[] = [],
): Stanza {
  const members = network.store.groups.listMembers(group.jid)
  const attrs = {
    id: group.jid.split('@')[0],
    subject: group.subject.text,
    s_t: formatSeconds(group.subject.at),
    ...buildAuthorAttrs(network, group, 's_o', group.subject.by),
    creation: formatSeconds(group.createdAt),
    ...buildAuthorAttrs(network, group, 'creator', group.creator),
    addressing_mode: group.form,
    size: String(members.length),
  }
  const participants = parts.participants
    ? members.flatMap((member) => buildMemberNodes(network, group, member))
    : []
  const description = parts.description ? buildDescriptionNodes(network, group) : []
  return buildStanza('group', attrs, [...participants, ...more, ...description, ...buildSettingNodes(group)])
}

/** The author, in the group's form of addresses; in a group of LIDs the number is added. */
function buildAuthorAttrs({ store }: Network, { form }: Group, name: string, number: string) {
  const account = store.accounts.find(number)
  if (account === undefined) return {}
  const pn = form === 'lid' ? { [`${name}_pn`]: formatAddress(account, 'pn') } : {}
  return { [name]: formatAddress(account, form), ...pn }
}

function buildMemberNodes({ store }: Network, group: Group, { number, role }: Member): Stanza[] {
  const account = store.accounts.find(number)
  if (account === undefined) return []
  const type = role === 'member' ? undefined : role
  return [buildStanza('participant', { ...buildMemberAttrs(account, group), type })]
}

function buildDescriptionNodes(network: Network, group: Group): Stanza[] {
  const { description } = group
  if (description === undefined) return []
  const attrs = { id: description.id, t: formatSeconds(description.at) }
  const by = buildAuthorAttrs(network, group, 'participant', description.by)
  return [
    buildStanza('description', { ...attrs, ...by }, [buildStanza('body', {}, Buffer.from(description.text))]),
  ]
}

function buildSettingNodes({ locked, announce, ephemeral, approval, openAdding }: Group): Stanza[] {
  return [
    ...(locked ? [buildStanza('locked')] : []),
    ...(announce ? [buildStanza('announcement')] : []),
    ...(ephemeral > 0 ? [buildStanza('ephemeral', { expiration: String(ephemeral) })] : []),
    ...(approval ? [buildApprovalNode(true)] : []),
    buildAddModeNode(openAdding),
  ]
}

export function buildApprovalNode(on: boolean): Stanza {
  return buildStanza('membership_approval_mode', {}, [
    buildStanza('group_join', { state: on ? 'on' : 'off' }),
  ])
}

export function buildAddModeNode(open: boolean): Stanza {
  return buildStanza('member_add_mode', {}, Buffer.from(open ? 'all_member_add' : 'admin_add'))
}
