// Tracks what an act has requested from the network: after a request that may have an effect, no failure of ours is a refusal.

import type { Answer, Connection } from './driver.ts'

export interface Requests {
  /** A request that may have an effect was sent to the network. */
  begun: boolean
  /** The text of the last failure, for the log only. */
  why: string | undefined
}

type Effects<Calls> = Partial<Record<keyof Calls, boolean>>

/** Every call that waits for the network. `false`: it has no effect, so it can be repeated; an upload has none either. */
const calls = {
  ...{ findAccount: false, checkNumbers: false, heard: false },
  ...{ sendAssertion: true, send: true, showPresence: true, markRead: true, rejectCall: true, unlink: true },
} satisfies Record<Exclude<keyof Connection, Local>, boolean>
const groupCalls = {
  ...{ all: false, one: false, inviteLink: false, invited: false },
  ...{ join: true, resetInvite: true, describe: true, announce: true, lock: true },
  ...{ create: true, changeMembers: true, rename: true, leave: true, setPicture: true, removePicture: true },
} satisfies Record<keyof Connection['groups'], boolean>
const mediaCalls = { upload: false, download: false } satisfies Record<keyof Connection['media'], boolean>

const accountCalls = {
  ...{
    knownBlocked: false,
    blocked: false,
    privacy: false,
    statusAudience: false,
    pictureUrl: false,
    picture: false,
    block: true,
    setPrivacy: true,
  },
  ...{ showPresence: true, setPicture: true, removePicture: true },
} satisfies Record<keyof Connection['account'], boolean>
const settingsCalls = {
  ...{ ready: false, catchUp: false, rename: true, archive: true, pin: true, mute: true, clear: true },
  ...{ remove: true, addContact: true, removeContact: true, label: true, labelChat: true },
} satisfies Record<keyof Connection['settings'], boolean>

type Local = 'knownAs' | 'encode' | 'proven' | 'close' | 'groups' | 'media' | 'account' | 'settings'

/** The same connection; `requests` is updated by its calls. */
export const watched = (network: Connection, requests: Requests): Connection => ({
  ...watching(network, calls, requests),
  groups: watching(network.groups, groupCalls, requests),
  media: watching(network.media, mediaCalls, requests),
  account: watching(network.account, accountCalls, requests),
  settings: watching(network.settings, settingsCalls, requests),
})

type Call = (...args: unknown[]) => Promise<Answer<unknown>>

function watching<Calls extends object>(all: Calls, effects: Effects<Calls>, requests: Requests): Calls {
  const made = { ...all } as Record<string, unknown>
  for (const [name, effect] of Object.entries(effects)) {
    const call = made[name] as Call
    made[name] = async (...args: unknown[]) => {
      if (effect) requests.begun = true
      const answer = await call(...args)
      if (answer.kind !== 'done') requests.why = answer.message
      return answer
    }
  }
  return made as Calls
}
