// What an act has asked of the network so far: after the first bytes that may have an effect, no failure of ours is a refusal.

import type { Answer, Connection } from './driver.ts'

export interface Asked {
  /** Something that may have an effect was handed to the network. */
  begun: boolean
  /** In the words of whoever failed, for the log only: why the last answer was no success. */
  why: string | undefined
}

type Effects<Calls> = Partial<Record<keyof Calls, boolean>>

/** Every call that waits for the network. A question may be asked again and changes nothing; so does an upload. */
const calls = {
  ...{ findAccount: false, checkNumbers: false, heard: false },
  ...{ send: true, showPresence: true, markRead: true, rejectCall: true, unlink: true },
} satisfies Record<Exclude<keyof Connection, Local>, boolean>
const groupCalls = {
  ...{ all: false, one: false, inviteLink: false },
  ...{ create: true, changeMembers: true, rename: true, setPicture: true, removePicture: true },
} satisfies Record<keyof Connection['groups'], boolean>
const mediaCalls = { upload: false, download: false } satisfies Record<keyof Connection['media'], boolean>

type Local = 'knownAs' | 'encode' | 'proven' | 'close' | 'groups' | 'media'

/** The same connection; `asked` hears of what is asked of it. */
export const watched = (network: Connection, asked: Asked): Connection => ({
  ...watching(network, calls, asked),
  groups: watching(network.groups, groupCalls, asked),
  media: watching(network.media, mediaCalls, asked),
})

type Call = (...args: unknown[]) => Promise<Answer<unknown>>

function watching<Calls extends object>(all: Calls, effects: Effects<Calls>, asked: Asked): Calls {
  const made = { ...all } as Record<string, unknown>
  for (const [name, effect] of Object.entries(effects)) {
    const call = made[name] as Call
    made[name] = async (...args: unknown[]) => {
      if (effect) asked.begun = true
      const answer = await call(...args)
      if (answer.kind !== 'done') asked.why = answer.message
      return answer
    }
  }
  return made as Calls
}
