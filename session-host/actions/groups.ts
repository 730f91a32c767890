// Actions on groups and their members.

import { SECOND } from '../../shared/clock.ts'
import type { GroupRecord } from '../../shared/contract/answers/group.ts'
import { isLid } from '../../shared/jid.ts'
import { RESULT_CHARACTERS } from '../../shared/wire/actions.ts'
import { done, refused } from '../../shared/wire/outcome.ts'
import type { GroupChange, MemberAction, MemberVerdict, NetworkGroup } from '../driver/driver.ts'
import { applied, nothing } from '../sessions/group-changes.ts'
import { groupRecord } from '../sessions/group-reporting.ts'
import { type ActionTable, notDone } from './action.ts'
import { groupRefusal, refusalOfKnown as refusal } from './group-refusals.ts'
import { type GroupSetting, groupSettingActions } from './group-settings.ts'
import { toPicture } from './pictures.ts'

/** Groups of a thousand members fill a page alone, so a page may have fewer. */
const A_PAGE = 100

const membership: Omit<ActionTable<'group'>, GroupSetting> = {
  async 'group.list'({ session, network, deadline }, { force, participants, after }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    if (after === '') {
      if (force && !groups.mayForce())
        return refused('rate_limited', 'force: groups are asked for too often.')
      if (force || !(await groups.listed())) {
        const answer = await groups.askAll(network, deadline)
        if (answer.kind !== 'done') return notDone(answer)
      }
    }
    const page: GroupRecord[] = []
    let characters = 0
    const stored = await groups.list(after, A_PAGE + 1)
    for (const group of stored.slice(0, A_PAGE)) {
      const record = groupRecord(group, groups.isOwn, { participants })
      characters += JSON.stringify(record).length
      if (page.length > 0 && characters > RESULT_CHARACTERS) break
      page.push(record)
    }
    const last = page.length < stored.length ? page.at(-1) : undefined
    return done({ groups: page, next: last?.JID ?? null })
  },

  async 'group.info'({ session, network, deadline }, { groupjid, getInviteLink, force }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    if (force && !groups.mayForce()) return refused('rate_limited', 'force: groups are asked for too often.')
    const read = force ? groups.ask : groups.ready
    const answer = await read(network, groupjid, deadline)
    if (answer.kind !== 'done') return groupRefusal(answer)
    if (!getInviteLink) return done(groupRecord(answer.value, groups.isOwn))
    const link = await network.groups.inviteLink(groupjid, deadline)
    if (link.kind !== 'done') return refusal(session, groupjid, link)
    return done(groupRecord(answer.value, groups.isOwn, { inviteLink: link.value }))
  },

  async 'group.create'({ session, network, deadline }, { name, participants }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    const answer = await network.groups.create(name, participants, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    await groups.keep(withoutRefused(answer.value))
    return done(groupRecord(answer.value, groups.isOwn))
  },

  async 'group.updateParticipants'({ session, network, deadline, log }, { groupjid, action, participants }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    const known = await groups.ready(network, groupjid, deadline)
    if (known.kind !== 'done') return groupRefusal(known)
    const answer = await network.groups.changeMembers(groupjid, action, participants, deadline)
    if (answer.kind !== 'done') return refusal(session, groupjid, answer)

    const verdicts = participants.map((jid) => ({ jid, verdict: verdictOn(jid, answer.value) }))
    const changed = verdicts.flatMap(({ verdict }) => (verdict?.code === 0 ? [verdict] : []))
    const change = changeOf(known.value, action, changed)
    await groups.apply(change)
    // A new member is known by number in a group that addresses `@lid` ids (or the reverse): the next message needs the other id.
    const misnamed = change.joined.some(({ id }) => isLid(id) !== (known.value.addressing === 'lid'))
    if (misnamed) {
      const soon = AbortSignal.any([deadline, AbortSignal.timeout(ASKED_AGAIN_MS)])
      await groups.ask(network, groupjid, soon).catch((thrown) => {
        log.error({ err: thrown }, 'a group that was changed is not kept as it was asked for')
      })
    }
    // The members are changed even if our own store cannot be read.
    const stored = await groups.find(groupjid).catch((thrown) => {
      log.error({ err: thrown }, 'a group that was changed cannot be read')
      return applied(known.value, change)
    })
    const group = stored ?? known.value
    return done({
      groupUpdated: verdicts.map(({ jid, verdict }) => ({ JID: jid, Error: verdict?.code ?? UNANSWERED })),
      group: groupRecord(group, groups.isOwn),
      // An event reports who was let in.
      needs_refresh: action === 'approve' || action === 'reject',
    })
  },

  async 'group.updateName'({ session, network, deadline }, { groupjid, name }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    const answer = await network.groups.rename(groupjid, name, deadline)
    if (answer.kind !== 'done') return refusal(session, groupjid, answer)
    await groups.apply({ ...nothing, jid: groupjid, settings: { subject: name } })
    return done({ renamed: true })
  },

  async 'group.updateImage'({ session, network, deadline, transfers }, { groupjid, parcel }) {
    if (!network) return refused('not_connected')
    if (parcel === '') {
      const answer = await network.groups.removePicture(groupjid, deadline)
      return answer.kind === 'done' ? done({ pictureId: '' }) : refusal(session, groupjid, answer)
    }
    // Checked before the network is asked, so that a bad image is refused and never unknown.
    const image = await transfers.download(parcel, deadline)
    if (!image) return refused('media_unavailable', 'The image did not arrive at the session host.')
    const picture = await toPicture(image)
    if (picture.kind !== 'done') return picture
    const answer = await network.groups.setPicture(groupjid, picture.result, deadline)
    return answer.kind === 'done' ? done({ pictureId: answer.value }) : refusal(session, groupjid, answer)
  },

  async 'group.leave'({ session, network, deadline }, { groupjid }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    const answer = await network.groups.leave(groupjid, deadline)
    if (answer.kind !== 'done') return groupRefusal(answer)
    const { jid, lid } = session.state.now
    await groups.apply({ ...nothing, jid: groupjid, left: [{ id: jid, pn: jid, lid }] })
    return done({ left: true })
  },
}

export const groupActions: ActionTable<'group'> = { ...membership, ...groupSettingActions }

/** Short, because the change itself is done and its caller waits. */
const ASKED_AGAIN_MS = 5 * SECOND

/** The code for a person that the network's answer does not name. */
const UNANSWERED = 500

const withoutRefused = (group: NetworkGroup): NetworkGroup => ({
  ...group,
  members: group.members.filter(({ error }) => error === 0),
})

const verdictOn = (jid: string, verdicts: MemberVerdict[]) =>
  verdicts.find(({ person: { id, pn, lid } }) => [id, pn, lid].includes(jid))

function changeOf(group: NetworkGroup, action: MemberAction, verdicts: MemberVerdict[]): GroupChange {
  const people = verdicts.map(({ person }) => person)
  const change = { ...nothing, jid: group.jid }
  switch (action) {
    case 'add': {
      const member = { role: 'member', name: '', error: 0 } as const
      const id = ({ id, pn, lid }: MemberVerdict['person']) => (group.addressing === 'lid' ? lid : pn) || id
      return { ...change, joined: people.map((one) => ({ ...member, ...one, id: id(one) })) }
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
