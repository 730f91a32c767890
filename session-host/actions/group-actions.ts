// Actions on groups and their members.

import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { isLid } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal } from '@msgnet/shared/wire/outcome.ts'
import { MAX_RESULT_CHARACTERS } from '@msgnet/shared/wire/session-actions.ts'
import type { GroupChange, MemberAction, MemberResult, NetworkGroup } from '../driver/driver.ts'
import { applyGroupChange, emptyChange } from '../sessions/group-changes.ts'
import { toGroupRecord } from '../sessions/group-records.ts'
import { type ActionTable, toFailedOutcome } from './action.ts'
import { refuseKnownGroup, toGroupRefusal } from './group-refusals.ts'
import { type GroupSetting, groupSettingActions } from './group-setting-actions.ts'
import { convertPicture } from './outgoing-files.ts'

/** Groups of a thousand members fill a page alone, so a page may have fewer. */
const PAGE_GROUPS = 100

const noLink = { kind: 'done', value: '' } as const

const membership: Omit<ActionTable<'group'>, GroupSetting> = {
  async 'group.list'({ session, network, deadline, turnDeadline }, { force, participants, after }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    if (after === '') {
      if (force && !groups.mayForceRequest())
        return createRefusal('rate_limited', 'force: groups are requested too often.')
      if (force || !(await groups.hasCompleteList())) {
        const answer = await groups.requestAllGroups(network, deadline)
        if (answer.kind !== 'done') return toFailedOutcome(answer)
      }
    }
    const page: GroupRecord[] = []
    let characters = 0
    const wanted = { after, max: PAGE_GROUPS, participants }
    const { records, hasMore } = await groups.listRecords(wanted, turnDeadline)
    for (const record of records) {
      characters += JSON.stringify(record).length
      if (page.length > 0 && characters > MAX_RESULT_CHARACTERS) break
      page.push(record)
    }
    const last = hasMore || page.length < records.length ? page.at(-1) : undefined
    return createDoneOutcome({ groups: page, next: last?.JID ?? null })
  },

  async 'group.info'({ session, network, deadline }, { groupjid, getInviteLink, force }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    if (force && !groups.mayForceRequest())
      return createRefusal('rate_limited', 'force: groups are requested too often.')
    const answer = force
      ? await groups.requestGroup(network, groupjid, deadline)
      : await groups.findOrRequest(network, groupjid, deadline)
    if (answer.kind !== 'done') return toGroupRefusal(answer)
    const link = getInviteLink ? await network.groups.getInviteLink(groupjid, deadline) : noLink
    if (link.kind !== 'done') return refuseKnownGroup(session, groupjid, link)
    const members = await session.intake.people.nameMembers(answer.value.members)
    const group = { ...answer.value, members }
    return createDoneOutcome(toGroupRecord(group, groups.isOwnMember, { inviteLink: link.value }))
  },

  async 'group.create'({ session, network, deadline }, { name, participants }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    const answer = await network.groups.createGroup(name, participants, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    await groups.storeGroup(removeRefusedMembers(answer.value))
    return createDoneOutcome(toGroupRecord(answer.value, groups.isOwnMember))
  },

  async 'group.updateParticipants'({ session, network, deadline, log }, { groupjid, action, participants }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    const known = await groups.findOrRequest(network, groupjid, deadline)
    if (known.kind !== 'done') return toGroupRefusal(known)
    const answer = await network.groups.changeMembers(groupjid, action, participants, deadline)
    if (answer.kind !== 'done') return refuseKnownGroup(session, groupjid, answer)

    const verdicts = participants.map((jid) => ({ jid, verdict: findVerdict(jid, answer.value) }))
    const changed = verdicts.flatMap(({ verdict }) => (verdict?.code === 0 ? [verdict] : []))
    const change = buildGroupChange(known.value, action, changed)
    await groups.applyChange(change)
    // A new member is known by number in a group that addresses `@lid` ids (or the reverse): the next message needs the other id.
    const needsOtherId = change.joined.some(({ id }) => isLid(id) !== (known.value.addressing === 'lid'))
    if (needsOtherId) {
      const soon = AbortSignal.any([deadline, AbortSignal.timeout(REREAD_MS)])
      await groups.requestGroup(network, groupjid, soon).catch((error) => {
        log.error({ error }, 'failed to read changed group from the network')
      })
    }
    // The members are changed even if our own store cannot be read.
    const stored = await groups.findGroup(groupjid).catch((error) => {
      log.error({ error }, 'failed to read changed group')
      return applyGroupChange(known.value, change)
    })
    const group = stored ?? known.value
    return createDoneOutcome({
      groupUpdated: verdicts.map(({ jid, verdict }) => ({ JID: jid, Error: verdict?.code ?? UNANSWERED })),
      group: toGroupRecord(group, groups.isOwnMember),
      // An event reports who was let in.
      needs_refresh: action === 'approve' || action === 'reject',
    })
  },

  async 'group.updateName'({ session, network, deadline }, { groupjid, name }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    const answer = await network.groups.renameGroup(groupjid, name, deadline)
    if (answer.kind !== 'done') return refuseKnownGroup(session, groupjid, answer)
    await groups.applyChange({ ...emptyChange, jid: groupjid, settings: { subject: name } })
    return createDoneOutcome({ renamed: true })
  },

  async 'group.updateImage'(context, { groupjid, parcel }) {
    const { session, network, deadline, turnDeadline, transfers, mediaJobs } = context
    if (!network) return createRefusal('not_connected')
    if (parcel === '') {
      const answer = await network.groups.removePicture(groupjid, deadline)
      return answer.kind === 'done'
        ? createDoneOutcome({ pictureId: '' })
        : refuseKnownGroup(session, groupjid, answer)
    }
    // Checked before the network is asked, so that a bad image is refused and never unknown.
    const image = await transfers.downloadFile(parcel, deadline)
    if (!image) return createRefusal('media_unavailable', 'The image did not arrive at the session host.')
    const { instance } = session
    const picture = await convertPicture(mediaJobs, { instance, bytes: image, deadline: turnDeadline })
    if (picture.kind !== 'done') return picture
    const answer = await network.groups.setPicture(groupjid, picture.result, deadline)
    return answer.kind === 'done'
      ? createDoneOutcome({ pictureId: answer.value })
      : refuseKnownGroup(session, groupjid, answer)
  },

  async 'group.leave'({ session, network, deadline }, { groupjid }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    const answer = await network.groups.leaveGroup(groupjid, deadline)
    if (answer.kind !== 'done') return toGroupRefusal(answer)
    const { jid, lid } = session.state.now
    await groups.applyChange({ ...emptyChange, jid: groupjid, left: [{ id: jid, pn: jid, lid }] })
    return createDoneOutcome({ left: true })
  },
}

export const groupActions: ActionTable<'group'> = { ...membership, ...groupSettingActions }

/** Short, because the change itself is done and its caller waits. */
const REREAD_MS = 5 * SECOND

/** The code for a person that the network's answer does not name. */
const UNANSWERED = 500

const removeRefusedMembers = (group: NetworkGroup): NetworkGroup => ({
  ...group,
  members: group.members.filter(({ error }) => error === 0),
})

const findVerdict = (jid: string, verdicts: MemberResult[]) =>
  verdicts.find(({ person: { id, pn, lid } }) => [id, pn, lid].includes(jid))

function buildGroupChange(group: NetworkGroup, action: MemberAction, verdicts: MemberResult[]): GroupChange {
  const people = verdicts.map(({ person }) => person)
  const change = { ...emptyChange, jid: group.jid }
  switch (action) {
    case 'add': {
      const member = { role: 'member', name: '', error: 0 } as const
      const chooseId = ({ id, pn, lid }: MemberResult['person']) =>
        (group.addressing === 'lid' ? lid : pn) || id
      return { ...change, joined: people.map((one) => ({ ...member, ...one, id: chooseId(one) })) }
    }
    case 'remove':
      return { ...change, left: people }
    case 'promote':
      return { ...change, promoted: people }
    case 'demote':
      return { ...change, demoted: people }
    case 'approve':
    case 'reject':
      return change
  }
}
