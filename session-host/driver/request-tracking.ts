// Tracks what an act has requested from the network: after a request that may have an effect, no later failure is a refusal.

import type { Connection, NetworkOutcome } from './driver.ts'

export interface TrackedRequests {
  /** A request that may have an effect was sent to the network. */
  hasBegun: boolean
  /** The text of the last failure, for the log only. */
  lastError: string | undefined
}

/** Every call that waits for the network. `false`: it has no effect, so it can be repeated; an upload has none either. */
const connectionCalls = {
  findAccount: false,
  checkNumbers: false,
  checkUsernames: false,
  confirmRead: false,
  sendAssertion: true,
  send: true,
  showPresence: true,
  subscribePresence: true,
  markRead: true,
  requestHistory: true,
  rejectCall: true,
  unlink: true,
} satisfies Record<Exclude<keyof Connection, LocalMember>, boolean>
const groupCalls = {
  listGroups: false,
  getGroup: false,
  getInviteLink: false,
  getInvitedGroup: false,
  joinGroup: true,
  resetInviteLink: true,
  setDescription: true,
  setAnnounceOnly: true,
  setLocked: true,
  createGroup: true,
  changeMembers: true,
  renameGroup: true,
  leaveGroup: true,
  setPicture: true,
  removePicture: true,
} satisfies Record<keyof Connection['groups'], boolean>
const mediaCalls = { upload: false, download: false } satisfies Record<keyof Connection['media'], boolean>

const accountCalls = {
  getCachedBlockList: false,
  getBlockList: false,
  getPrivacySettings: false,
  getStatusAudience: false,
  getPictureUrl: false,
  downloadPicture: false,
  setBlocked: true,
  setPrivacySetting: true,
  showPresence: true,
  setPicture: true,
  removePicture: true,
} satisfies Record<keyof Connection['account'], boolean>
const settingsCalls = {
  waitUntilReady: false,
  catchUp: false,
  setProfileName: true,
  setArchived: true,
  setPinned: true,
  setMuted: true,
  setStarred: true,
  clearChat: true,
  deleteChat: true,
  addContact: true,
  removeContact: true,
  saveLabel: true,
  labelChat: true,
} satisfies Record<keyof Connection['settings'], boolean>

type LocalMember =
  | 'findKnownIds'
  | 'encode'
  | 'confirmSent'
  | 'close'
  | 'groups'
  | 'media'
  | 'account'
  | 'settings'

/** The same connection; `requests` is updated by its calls. */
export const trackRequests = (network: Connection, requests: TrackedRequests): Connection => ({
  ...network,
  ...trackCalls(network, connectionCalls, requests),
  groups: trackCalls(network.groups, groupCalls, requests),
  media: trackCalls(network.media, mediaCalls, requests),
  account: trackCalls(network.account, accountCalls, requests),
  settings: trackCalls(network.settings, settingsCalls, requests),
})

type Call = (...args: unknown[]) => Promise<NetworkOutcome<unknown>>

/** The parts of a connection may be instances of classes, so their calls are called on them. */
function trackCalls<Calls extends object, Name extends keyof Calls & string>(
  calls: Calls,
  effects: Record<Name, boolean>,
  requests: TrackedRequests,
): Pick<Calls, Name> {
  const target = calls as Record<string, Call>
  const tracked: Record<string, Call> = {}
  for (const [name, hasEffect] of Object.entries<boolean>(effects)) {
    tracked[name] = async (...args) => {
      if (hasEffect) requests.hasBegun = true
      const outcome = await (target[name] as Call).apply(calls, args)
      if (outcome.kind !== 'done') requests.lastError = outcome.message
      return outcome
    }
  }
  return tracked as unknown as Pick<Calls, Name>
}
