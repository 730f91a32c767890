// Handlers for the account and the instance's settings: requests without a body, pictures, and settings that the edge stores.

import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { validatePicture, withPicture } from '../media/picture-input.ts'
import { toInstanceRecord } from '../records/instance-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { changeInstance, type InstanceRow } from '../store/instance-queries.ts'
import { requireLoggedIn, validateAfterSession } from './session-dispatch.ts'

export const accountHandlers = {
  listBlocked: (c) => dispatchAction(c, requireLoggedIn(c), 'account.blocklist', {}),

  getAbout: (c) => dispatchAction(c, requireLoggedIn(c), 'account.about', {}),

  getPrivacy: (c) => dispatchAction(c, requireLoggedIn(c), 'account.privacy', {}),

  async changeProfileImage(c, { body: { image } }) {
    const instance = await validateAfterSession(
      () => requireLoggedIn(c),
      () => validatePicture(c, image),
    )
    const { pictureId } = await withPicture(c, instance, image, (parcel) =>
      dispatchAction(c, instance, 'account.updateImage', { parcel }),
    )
    const [image_updated, image_removed] = [pictureId !== '', pictureId === '']
    return {
      success: true as const,
      message: `Profile image ${image_updated ? 'updated' : 'removed'}`,
      profile: { image_updated, image_removed, updated_at: Date.now() },
    }
  },

  async renameInstance(c, { body: { name } }) {
    return toInstanceRecord(await applyChange(c, { name }))
  },

  async changeDelay(c, { body: { msg_delay_min, msg_delay_max } }) {
    const changed = await applyChange(c, { delayMin: msg_delay_min, delayMax: msg_delay_max })
    return { instance: toInstanceRecord(changed) }
  },
} satisfies Partial<Handlers>

/** The instance with these fields; it is written only if one of them has another value now. */
async function applyChange(
  c: Context<EdgeEnv>,
  change: Partial<Pick<InstanceRow, 'name' | 'delayMin' | 'delayMax'>>,
): Promise<InstanceRow> {
  const { store, instance } = c.var
  const changed = { ...instance, ...change }
  const { name, delayMin, delayMax } = instance
  if (changed.name === name && changed.delayMin === delayMin && changed.delayMax === delayMax) {
    skipAudit(c)
    return instance
  }
  const updatedAt = await changeInstance(store, instance.id, change, buildAuditEntry(c, { ifChanged: true }))
  return { ...changed, updatedAt }
}
