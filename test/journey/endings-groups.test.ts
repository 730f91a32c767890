// Invitations and settings of groups, by each way in which asking for them can end.
// @module-tag slow

import { borrowStage } from '../scene.ts'
import { impatient } from '../world.ts'
import { groupSettings } from './endings/group-setting-rows.ts'
import { testEndings } from './endings/test-endings.ts'

const { world } = await borrowStage(impatient)

await testEndings(world, groupSettings)
