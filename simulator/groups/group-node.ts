// Writes a group as the network describes it to its members.
import { type Stanza, stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { inGroup } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import { seconds } from '../network/stamps.ts'
import type { Group, Member } from '../store/groups.ts'

/** The parts that are left out of a group's outline. */
export type Wanted = { participants: boolean; description: boolean }
const EVERYTHING: Wanted = { participants: true, description: true }

export function groupNode(network: Network, group: Group, wanted = EVERYTHING, more: Stanza[] = []): Stanza {
  const members = network.store.groups.members(group.jid)
  const attrs = {
    id: group.jid.split('@')[0],
    subject: group.subject.text,
    s_t: seconds(group.subject.at),
    ...written(network, group, 's_o', group.subject.by),
    creation: seconds(group.createdAt),
    ...written(network, group, 'creator', group.creator),
    addressing_mode: group.form,
    size: String(members.length),
  }
  const participants = wanted.participants
    ? members.flatMap((member) => memberNode(network, group, member))
    : []
  const description = wanted.description ? descriptionNodes(network, group) : []
  return stanza('group', attrs, [...participants, ...more, ...description, ...settingNodes(group)])
}

/** The author, in the group's form of addresses; in a group of LIDs the number is added. */
function written({ store }: Network, { form }: Group, name: string, number: string) {
  const account = store.accounts.find(number)
  if (account === undefined) return {}
  const pn = form === 'lid' ? { [`${name}_pn`]: addressOf(account, 'pn') } : {}
  return { [name]: addressOf(account, form), ...pn }
}

function memberNode({ store }: Network, group: Group, { number, role }: Member): Stanza[] {
  const account = store.accounts.find(number)
  if (account === undefined) return []
  const type = role === 'member' ? undefined : role
  return [stanza('participant', { ...inGroup(account, group), type })]
}

function descriptionNodes(network: Network, group: Group): Stanza[] {
  const { description } = group
  if (description === undefined) return []
  const attrs = { id: description.id, t: seconds(description.at) }
  const by = written(network, group, 'participant', description.by)
  return [stanza('description', { ...attrs, ...by }, [stanza('body', {}, Buffer.from(description.text))])]
}

function settingNodes({ locked, announce, ephemeral, approval, openAdding }: Group): Stanza[] {
  return [
    ...(locked ? [stanza('locked')] : []),
    ...(announce ? [stanza('announcement')] : []),
    ...(ephemeral > 0 ? [stanza('ephemeral', { expiration: String(ephemeral) })] : []),
    ...(approval ? [approvalNode(true)] : []),
    addModeNode(openAdding),
  ]
}

export function approvalNode(on: boolean): Stanza {
  return stanza('membership_approval_mode', {}, [stanza('group_join', { state: on ? 'on' : 'off' })])
}

export function addModeNode(open: boolean): Stanza {
  return stanza('member_add_mode', {}, Buffer.from(open ? 'all_member_add' : 'admin_add'))
}
