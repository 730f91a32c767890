// How messages of the canary are recognised: by their id, their sender and their recipient.

import { randomBytes } from 'node:crypto'

/** Like any id of a message; no other message begins like this. */
const MARK = '3EB0CA9A217E'

export const createMarkedId = (): string => `${MARK}${randomBytes(5).toString('hex').toUpperCase()}`

export const isMarked = (messageid: string): boolean => messageid.startsWith(MARK)

/** The group of the two, made once and found by its name. */
export const GROUP_NAME = 'msgnet canary'

/** For the people who see it on their phones. */
export const describeTry = (path: string): string =>
  `msgnet canary: ${path}, ${new Date().toISOString()}. This gateway checks that its messages arrive.`
