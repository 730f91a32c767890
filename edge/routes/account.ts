// Handlers for the account and the instance's settings: requests without a body, pictures, and settings that the edge stores.

import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { judgePicture, withPicture } from '../media/pictures.ts'
import { instanceRecord } from '../records/instance.ts'
import { changeInstance } from '../store/instances.ts'
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
    const { store, instance } = c.var
    const updatedAt = await changeInstance(store, instance.id, { name })
    return instanceRecord({ ...instance, name, updatedAt })
  },

  async changeDelay(c, { body: { msg_delay_min, msg_delay_max } }) {
    const { store, instance } = c.var
    const delays = { delayMin: msg_delay_min, delayMax: msg_delay_max }
    const updatedAt = await changeInstance(store, instance.id, delays)
    return { instance: instanceRecord({ ...instance, ...delays, updatedAt }) }
  },
} satisfies Partial<Handlers>
