// Settings that the account's devices have in common, by each way in which asking for a change can end.
// @module-tag slow

import { borrowStage } from '../scene.ts'
import { impatient } from '../world.ts'
import { settings } from './endings/setting-rows.ts'
import { testEndings } from './endings/test-endings.ts'

const { world } = await borrowStage(impatient)

await testEndings(world, settings)
