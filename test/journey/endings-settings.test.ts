// Settings that the account's devices have in common, by each way in which asking for a change can end.

import { setStage } from '../scene.ts'
import { testEndings } from './asked/endings.ts'
import { settings } from './asked/settings.ts'

const { world } = await setStage({ ACTION_TIMEOUT_MS: '8000' })

await testEndings(world, settings)
