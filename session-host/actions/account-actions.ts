// Actions on the account itself: privacy, blocking, presence, name and picture.

import type { Identities } from '@msgnet/shared/contract/identity-requests.ts'
import { isGroup, isLid } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import { privacyCategories } from '../driver/account-network.ts'
import type { Connection, PrivacySettings } from '../driver/driver.ts'
import { findOtherForms } from '../store/identity-store.ts'
import { findUsernames } from '../store/username-store.ts'
import { type ActionContext, type ActionTable, describePartialRefusal, toFailedOutcome } from './action.ts'
import { convertPicture } from './outgoing-files.ts'
import { checkSettingsReady } from './settings-ready.ts'

export const accountActions: ActionTable<'account'> = {
  'account.identities': resolveIdentities,

  'account.limits': async ({ session }) => createDoneOutcome(await session.intake.limits.readCurrent()),

  async 'account.block'({ network, deadline }, { number, block }) {
    if (!network) return createRefusal('not_connected')
    const found = await network.findAccount(number, deadline)
    if (found.kind === 'refused' && found.code === NOT_FOUND) return createRefusal('not_on_network')
    if (found.kind !== 'done') return toFailedOutcome(found)
    // Before the change: were it not answered after it, a change that is done would have no answer.
    const list = await listBlocked(network, deadline)
    if (list.kind !== 'done') return toFailedOutcome(list)
    const answer = await network.account.setBlocked(found.value, block, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    const { id, pn, lid } = found.value
    const others = list.value.filter((one) => ![id, pn, lid].includes(one))
    const blockList = block ? [...others, pn || id] : others
    return createDoneOutcome({ response: block ? 'Blocked' : 'Unblocked', blockList })
  },

  async 'account.blocklist'({ network, deadline }) {
    if (!network) return createRefusal('not_connected')
    const list = await listBlocked(network, deadline)
    if (list.kind !== 'done') return toFailedOutcome(list)
    return createDoneOutcome({ response: `${list.value.length} blocked`, blockList: list.value })
  },

  async 'account.privacy'({ network, deadline }) {
    if (!network) return createRefusal('not_connected')
    const answer = await network.account.getPrivacySettings(deadline)
    return answer.kind === 'done' ? createDoneOutcome(answer.value) : toFailedOutcome(answer)
  },

  async 'account.changePrivacy'({ network, deadline }, wish) {
    if (!network) return createRefusal('not_connected')
    // Before the changes: were it not answered after them, changes that are done would have no answer.
    const before = await network.account.getPrivacySettings(deadline)
    if (before.kind !== 'done') return toFailedOutcome(before)
    const set: Partial<PrivacySettings> = {}
    for (const category of privacyCategories) {
      const value = wish[category]
      if (value === undefined) continue
      const answer = await network.account.setPrivacySetting(category, value, deadline)
      if (answer.kind === 'refused')
        return { ...toFailedOutcome(answer), message: describePartialRefusal(category, Object.keys(set)) }
      if (answer.kind !== 'done') return toFailedOutcome(answer)
      set[category] = value
    }
    return createDoneOutcome({ ...before.value, ...set })
  },

  async 'account.presence'({ session, network, deadline, log }, { presence }) {
    if (!network) return createRefusal('not_connected')
    const answer = await network.account.showPresence(presence, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    // It is shown, even if our own store fails to show it again after the next login.
    await session.presence
      .storeOnline(presence === 'available')
      .catch((error) => log.error({ error }, 'failed to store own presence'))
    return createDoneOutcome({ shown: true as const })
  },

  async 'account.rename'({ network, deadline }, { name }) {
    if (!network) return createRefusal('not_connected')
    const notReady = await checkSettingsReady(network, deadline)
    if (notReady) return notReady
    const answer = await network.settings.setProfileName(name, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    const profile = { name, updated_at: Date.now() }
    return createDoneOutcome({ success: true as const, message: 'Profile name updated', profile })
  },

  async 'account.about'({ network, deadline }) {
    if (!network) return createRefusal('not_connected')
    const answer = await network.account.getAbout(deadline)
    return answer.kind === 'done' ? createDoneOutcome({ about: answer.value }) : toFailedOutcome(answer)
  },

  async 'account.updateAbout'({ network, deadline }, { about }) {
    if (!network) return createRefusal('not_connected')
    const answer = await network.account.setAbout(about, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    const profile = { about, updated_at: Date.now() }
    return createDoneOutcome({ success: true as const, message: 'About text updated', profile })
  },

  async 'account.updateImage'(context, { parcel }) {
    const { session, network, deadline, turnDeadline, transfers, mediaJobs } = context
    if (!network) return createRefusal('not_connected')
    if (parcel === '') {
      const answer = await network.account.removePicture(deadline)
      return answer.kind === 'done' ? createDoneOutcome({ pictureId: '' }) : toFailedOutcome(answer)
    }
    // Checked before the network is asked, so that a bad image is refused and never unknown.
    const image = await transfers.downloadFile(parcel, deadline)
    if (!image) return createRefusal('media_unavailable', 'The image did not arrive at the session host.')
    const { instance } = session
    const picture = await convertPicture(mediaJobs, { instance, bytes: image, deadline: turnDeadline })
    if (picture.kind !== 'done') return picture
    const answer = await network.account.setPicture(picture.result, deadline)
    return answer.kind === 'done' ? createDoneOutcome({ pictureId: answer.value }) : toFailedOutcome(answer)
  },
}

const NOT_FOUND = 404

async function listBlocked(network: Connection, deadline: AbortSignal) {
  const answer = await network.account.getBlockList(deadline)
  if (answer.kind !== 'done') return answer
  return { kind: answer.kind, value: answer.value.map(({ id, pn }) => pn || id) }
}

/** Both forms of a person's id, from the network's mappings and from stored messages. */
async function resolveIdentities(
  { session, network }: ActionContext,
  { ids }: ActionInput<'account.identities'>,
): Promise<Outcome<Identities>> {
  const { store, instance } = session
  const people = [...new Set(ids.filter((id) => !isGroup(id)))]
  const stored = await findOtherForms(store, instance, people)
  const resolve = async (id: string): Promise<Identities[number]> => {
    const own = { id, jid: isLid(id) || isGroup(id) ? '' : id, lid: isLid(id) ? id : '' }
    const known = isGroup(id) ? undefined : await network?.findKnownIds(id)
    if (known?.pn && known.lid) return { id, jid: known.pn, lid: known.lid, source: 'network' }
    const other = stored.get(id)
    return other ? { id, jid: other.pn, lid: other.lid, source: other.source } : { ...own, source: '' }
  }
  const found = await Promise.all(ids.map(resolve))
  const allForms = found.flatMap(({ jid, lid }) => [jid, lid]).filter(Boolean)
  const usernames = await findUsernames(store, instance, allForms)
  const named = found.map((one) => {
    const username = usernames.get(one.lid) ?? usernames.get(one.jid)
    return username === undefined ? one : { ...one, username }
  })
  return createDoneOutcome(named)
}
