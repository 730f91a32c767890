// Handlers for the account and the instance's settings: requests without a body, pictures, and settings that the edge stores.

import type { Context } from 'hono'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import { auditOf, skipAudit } from '../http/audit.ts'
import type { Handlers } from '../http/serve.ts'
import { judgePicture, withPicture } from '../media/pictures.ts'
import { instanceRecord } from '../records/instance.ts'
import { changeInstance, type InstanceRow } from '../store/instances.ts'
import { judgedLast, loggedIn } from './session-acts.ts'

export const accountHandlers = {
  listBlocked: (c) => act(c, loggedIn(c), 'account.blocklist', {}),

  getPrivacy: (c) => act(c, loggedIn(c), 'account.privacy', {}),

  async changeProfileImage(c, { body: { image } }) {
    const instance = judgedLast(
      () => loggedIn(c),
      () => judgePicture(c, image),
    )
    const { pictureId } = await withPicture(c, instance, image, (parcel) =>
      act(c, instance, 'account.updateImage', { parcel }),
    )
    const [image_updated, image_removed] = [pictureId !== '', pictureId === '']
    return {
      ...{ success: true as const, message: `Profile image ${image_updated ? 'updated' : 'removed'}` },
      profile: { image_updated, image_removed, updated_at: Date.now() },
    }
  },

  async renameInstance(c, { body: { name } }) {
    return instanceRecord(await withChange(c, { name }))
  },

  async changeDelay(c, { body: { msg_delay_min, msg_delay_max } }) {
    const changed = await withChange(c, { delayMin: msg_delay_min, delayMax: msg_delay_max })
    return { instance: instanceRecord(changed) }
  },
} satisfies Partial<Handlers>

/** The instance with these fields; it is written only if one of them has another value now. */
async function withChange(
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
  const updatedAt = await changeInstance(store, instance.id, change, auditOf(c, { ifChanged: true }))
  return { ...changed, updatedAt }
}
