// Converts a group from the library's form into ours; a field that the network leaves out gets its type's empty value.

import { type BinaryNode, type GroupMetadata, getBinaryNodeChildren } from 'baileys'
import { extractGroupMetadata } from 'baileys/lib/Socket/groups.js'
import { boundedName, boundedText, TOPIC_BYTES } from '../../../../shared/bounds.ts'
import type { GroupMember, NetworkGroup, Person } from '../../driver.ts'
import { outward, person } from '../ids.ts'

type Participant = GroupMetadata['participants'][number]

export const personOf = ({ id, phoneNumber, lid }: Participant): Person => person(id, phoneNumber, lid)

export function memberOf(participant: Participant): GroupMember {
  const { id, pn, lid } = personOf(participant)
  const role = participant.admin ?? 'member'
  return { id, pn, lid, role, name: boundedName(participant.notify ?? participant.name ?? ''), error: 0 }
}

export const boundedTopic = (topic: string): string => boundedText(topic, TOPIC_BYTES)

export function groupOf(metadata: GroupMetadata): NetworkGroup {
  return {
    jid: metadata.id,
    owner: person(metadata.owner, metadata.ownerPn),
    subject: boundedName(metadata.subject ?? ''),
    topic: boundedTopic(metadata.desc ?? ''),
    created: (metadata.creation || 0) * 1000,
    locked: metadata.restrict === true,
    announce: metadata.announce === true,
    ephemeral: metadata.ephemeralDuration ?? 0,
    joinApproval: metadata.joinApprovalMode === true,
    memberAddMode: metadata.memberAddMode ? 'all_member_add' : 'admin_add',
    addressing: metadata.addressingMode === 'lid' ? 'lid' : 'pn',
    members: metadata.participants.map(memberOf),
  }
}

/** The codes of the people who could not be added, by their ids. */
export const errorsOf = (node: BinaryNode): Map<string, number> =>
  new Map(
    getBinaryNodeChildren(node, 'participant').flatMap(({ attrs }) =>
      attrs.error ? [[person(attrs.jid).id, Number(attrs.error)] as const] : [],
    ),
  )

export function toGroup(node: BinaryNode, errors = new Map<string, number>()): NetworkGroup {
  const group = groupOf(extractGroupMetadata({ tag: 'result', attrs: {}, content: [node] }))
  return {
    ...group,
    members: group.members.map((member) => ({ ...member, error: errors.get(member.id) ?? 0 })),
  }
}

/** The group in the library's form, as far as it needs it to encrypt a message. */
export const metadataOf = ({ jid, subject, addressing, ephemeral, members }: NetworkGroup): GroupMetadata =>
  ({
    id: jid,
    subject,
    owner: undefined,
    addressingMode: addressing,
    participants: members.filter(({ error }) => error === 0).map(({ id }) => ({ id: outward(id) })),
    ...(ephemeral > 0 && { ephemeralDuration: ephemeral }),
  }) as GroupMetadata
