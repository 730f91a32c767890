// Invitations and settings of groups, by each way in which asking for them can end.

import { startStage } from '../scene.ts'
import { groupSettings } from './endings/group-setting-rows.ts'
import { testEndings } from './endings/test-endings.ts'

const { world } = await startStage({ ACTION_TIMEOUT_MS: '8000' })

await testEndings(world, groupSettings)
