// Apart from host-session.ts, because it is the list of who takes what: each piece of news of the network goes to one part of the session.

import type { NewsEvents } from '../driver/driver.ts'
import type { Intake } from './intake.ts'
import type { PresenceWatch } from './presence-watch.ts'
import type { SessionCalls } from './session-calls.ts'
import type { Groups } from './session-groups.ts'
import type { History } from './session-history.ts'
import type { Settings } from './session-settings.ts'

interface Parts {
  intake: Intake
  groups: Groups
  calls: SessionCalls
  settings: Settings
  history: History
  presence: PresenceWatch
}

export const createNewsEvents = ({
  intake,
  groups,
  calls,
  settings,
  history,
  presence,
}: Parts): NewsEvents => ({
  onMessages: (messages) => intake.storeMessages(messages),
  onReceipts: (receipts) => intake.storeReceipts(receipts),
  onAck: (ack) => intake.storeAck(ack),
  onRestricted: (restriction) => intake.storeRestriction(restriction),
  onGroupJoined: (group, by, at) => groups.handleJoin(group, by, at),
  onGroupChanged: (change) => groups.handleChange(change),
  onGroupsListed: (all) => groups.handleList(all),
  onGroupRenewed: (group) => groups.storeGroup(group),
  onGroupAddressed: (jid, addressing) => groups.handleAddressing(jid, addressing),
  onCall: (call) => calls.handleCall(call),
  onPresence: (news) => presence.handlePresence(news),
  onSettings: (changes) => settings.handleChanges(changes),
  onPeopleNamed: (names) => settings.handleNames(names),
  onHistoryPage: (page) => history.storePage(page),
  onHistoryChunk: (chunk) => history.finishChunk(chunk),
})
