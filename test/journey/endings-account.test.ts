// What is done to the account and to messages by their ids, by each way in which asking for it can end.
// @module-tag slow

import { borrowStage } from '../scene.ts'
import { impatient } from '../world.ts'
import { account } from './endings/account-rows.ts'
import { testEndings } from './endings/test-endings.ts'

const { world } = await borrowStage(impatient)

await testEndings(world, account)
