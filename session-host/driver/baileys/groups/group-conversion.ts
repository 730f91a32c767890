// Converts a group from the library's form into ours; a field that the network leaves out gets its type's empty value.

import { MAX_TOPIC_BYTES, truncateName, truncateText } from '@msgnet/shared/truncation.ts'
import { type BinaryNode, type GroupMetadata, getBinaryNodeChildren } from 'baileys'
import { extractGroupMetadata } from 'baileys/lib/Socket/groups.js'
import type { GroupMember, NetworkGroup, Person } from '../../driver.ts'
import { toNetworkJid, toPerson } from '../ids.ts'
import { parseCode } from '../network-numbers.ts'

type Participant = GroupMetadata['participants'][number]

export const toParticipantIds = ({ id, phoneNumber, lid }: Participant): Person =>
  toPerson(id, phoneNumber, lid)

export function toMember(participant: Participant): GroupMember {
  const { id, pn, lid } = toParticipantIds(participant)
  const role = participant.admin ?? 'member'
  return { id, pn, lid, role, name: truncateName(participant.notify ?? participant.name ?? ''), error: 0 }
}

export const boundTopic = (topic: string): string => truncateText(topic, MAX_TOPIC_BYTES)

export function toNetworkGroup(metadata: GroupMetadata): NetworkGroup {
  return {
    jid: metadata.id,
    owner: toPerson(metadata.owner, metadata.ownerPn),
    subject: truncateName(metadata.subject ?? ''),
    topic: boundTopic(metadata.desc ?? ''),
    created: (metadata.creation || 0) * 1000,
    locked: metadata.restrict === true,
    announce: metadata.announce === true,
    ephemeral: metadata.ephemeralDuration || 0,
    joinApproval: metadata.joinApprovalMode === true,
    memberAddMode: metadata.memberAddMode ? 'all_member_add' : 'admin_add',
    addressing: metadata.addressingMode === 'lid' ? 'lid' : 'pn',
    members: metadata.participants.map(toMember),
  }
}

/** The codes of the people who could not be added, by their ids. */
export const readMemberErrors = (node: BinaryNode): Map<string, number> =>
  new Map(
    getBinaryNodeChildren(node, 'participant').flatMap(({ attrs }) =>
      attrs.error ? [[toPerson(attrs.jid).id, parseCode(attrs.error)] as const] : [],
    ),
  )

export function parseGroupNode(node: BinaryNode, errors = new Map<string, number>()): NetworkGroup {
  const group = toNetworkGroup(extractGroupMetadata({ tag: 'result', attrs: {}, content: [node] }))
  return {
    ...group,
    members: group.members.map((member) => ({ ...member, error: errors.get(member.id) ?? 0 })),
  }
}

/** The group in the library's form, as far as it needs it to encrypt a message. */
export const toGroupMetadata = ({
  jid,
  subject,
  addressing,
  ephemeral,
  members,
}: NetworkGroup): GroupMetadata =>
  ({
    id: jid,
    subject,
    owner: undefined,
    addressingMode: addressing,
    participants: members.filter(({ error }) => error === 0).map(({ id }) => ({ id: toNetworkJid(id) })),
    ...(ephemeral > 0 && { ephemeralDuration: ephemeral }),
  }) as GroupMetadata
