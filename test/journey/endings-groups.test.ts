// Invitations and settings of groups, by each way in which asking for them can end.

import { setStage } from '../scene.ts'
import { testEndings } from './asked/endings.ts'
import { groupSettings } from './asked/group-settings.ts'

const { world } = await setStage({ ACTION_TIMEOUT_MS: '8000' })

await testEndings(world, groupSettings)
