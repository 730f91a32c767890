// Settings that the account's devices have in common, by each way in which asking for a change can end.

import { borrowStage } from '../scene.ts'
import { settings } from './endings/setting-rows.ts'
import { testEndings } from './endings/test-endings.ts'

const { world } = await borrowStage({ ACTION_TIMEOUT_MS: '8000' })

await testEndings(world, settings)
