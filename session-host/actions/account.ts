// Actions on the account itself: privacy, blocking, presence, name and picture.

import { done, refused, unknown } from '../../shared/wire/outcome.ts'
import { privacyCategories } from '../driver/account.ts'
import type { Connection, PrivacySettings } from '../driver/driver.ts'
import { type ActionTable, notDone } from './action.ts'
import { resolveIdentities } from './identities.ts'
import { toPicture } from './pictures.ts'
import { settingsReady } from './settings-ready.ts'

export const accountActions: ActionTable<'account'> = {
  'account.identities': resolveIdentities,

  'account.limits': async ({ session }) => done(await session.intake.limits.now()),

  async 'account.block'({ network, deadline }, { number, block }) {
    if (!network) return refused('not_connected')
    const found = await network.findAccount(number, deadline)
    if (found.kind === 'refused' && found.code === NOT_FOUND) return refused('not_on_network')
    if (found.kind !== 'done') return notDone(found)
    const answer = await network.account.block(found.value, block, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    const list = await blockedBy(network, deadline)
    if (list.kind !== 'done') return unknown('It is done; who is blocked now was not answered.')
    return done({ response: block ? 'Blocked' : 'Unblocked', blockList: list.value })
  },

  async 'account.blocklist'({ network, deadline }) {
    if (!network) return refused('not_connected')
    const list = await blockedBy(network, deadline)
    if (list.kind !== 'done') return notDone(list)
    return done({ response: `${list.value.length} blocked`, blockList: list.value })
  },

  async 'account.privacy'({ network, deadline }) {
    if (!network) return refused('not_connected')
    const answer = await network.account.privacy(deadline)
    return answer.kind === 'done' ? done(answer.value) : notDone(answer)
  },

  async 'account.changePrivacy'({ network, deadline }, wish) {
    if (!network) return refused('not_connected')
    const set: Partial<PrivacySettings> = {}
    for (const category of privacyCategories) {
      const value = wish[category]
      if (value === undefined) continue
      const answer = await network.account.setPrivacy(category, value, deadline)
      if (answer.kind === 'refused')
        return { ...notDone(answer), message: refusalAfter(category, Object.keys(set)) }
      if (answer.kind !== 'done') return notDone(answer)
      set[category] = value
    }
    const now = await network.account.privacy(deadline)
    if (now.kind === 'done') return done({ ...now.value, ...set })
    return Object.keys(set).length > 0
      ? unknown('It is done; what it is now was not answered.')
      : notDone(now)
  },

  async 'account.presence'({ network, deadline }, { presence }) {
    if (!network) return refused('not_connected')
    const answer = await network.account.showPresence(presence, deadline)
    return answer.kind === 'done' ? done({ shown: true as const }) : notDone(answer)
  },

  async 'account.rename'({ network, deadline }, { name }) {
    if (!network) return refused('not_connected')
    const notReady = await settingsReady(network, deadline)
    if (notReady) return notReady
    const answer = await network.settings.rename(name, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    const profile = { name, updated_at: Date.now() }
    return done({ success: true as const, message: 'Profile name updated', profile })
  },

  async 'account.updateImage'({ network, deadline, transfers }, { parcel }) {
    if (!network) return refused('not_connected')
    if (parcel === '') {
      const answer = await network.account.removePicture(deadline)
      return answer.kind === 'done' ? done({ pictureId: '' }) : notDone(answer)
    }
    // Checked before the network is asked, so that a bad image is refused and never unknown.
    const image = await transfers.download(parcel, deadline)
    if (!image) return refused('media_unavailable', 'The image did not arrive at the session host.')
    const picture = await toPicture(image)
    if (picture.kind !== 'done') return picture
    const answer = await network.account.setPicture(picture.result, deadline)
    return answer.kind === 'done' ? done({ pictureId: answer.value }) : notDone(answer)
  },
}

const NOT_FOUND = 404

async function blockedBy(network: Connection, deadline: AbortSignal) {
  const answer = await network.account.blocked(deadline)
  if (answer.kind !== 'done') return answer
  return { kind: answer.kind, value: answer.value.map(({ id, pn }) => pn || id) }
}

const refusalAfter = (category: string, set: string[]) =>
  set.length === 0
    ? `The network refused ${category}.`
    : `The network refused ${category}; ${set.join(', ')} had been changed before it.`
