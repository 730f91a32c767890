// What only a person can do on a first day: a person at a terminal, or the control routes of the simulated network in place of one.

import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'

/** A PNG of one pixel. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const VOTE = 'Yes'

export const chatKinds = ['old', 'stranger', 'lidOnly', 'group', 'lidGroup'] as const
export type ChatKind = (typeof chatKinds)[number]

export const tasks = {
  write: 'From another phone, send a text to the account.',
  picture: 'From that phone, send a picture to the account.',
  edit: 'From that phone, edit the text.',
  remove: 'From that phone, delete the picture for everyone.',
  once: 'From that phone, send a picture that can be seen once.',
  vote: `On the phone that was just sent a poll, choose “${VOTE}”.`,
  grow: 'Add a member to that group.',
  interrupt:
    'Kill the host (kill -9), leave it off for an hour, and write to the account meanwhile, once. Then start it again.',
  unlink: 'On the phone of the account, remove this device.',
} as const
export type Task = keyof typeof tasks

export interface Person {
  linkDevice(pairing: Pairing): Promise<void>
  /** An address for /send/text; empty if there is no such chat. */
  nameChat(kind: ChatKind): Promise<string>
  /** Resolves when it is done. False if it was left out. */
  perform(task: Task): Promise<boolean>
  /** Leaves the account alone. */
  rest(seconds: number): Promise<void>
}
