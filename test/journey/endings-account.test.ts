// What is done to the account and to messages by their ids, by each way in which asking for it can end.

import { setStage } from '../scene.ts'
import { account } from './asked/account.ts'
import { testEndings } from './asked/endings.ts'

const { world } = await setStage({ ACTION_TIMEOUT_MS: '8000' })

await testEndings(world, account)
