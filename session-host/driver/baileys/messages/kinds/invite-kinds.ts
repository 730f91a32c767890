// Invitations to groups and channels, what new members of a group are given, and requests for a phone number.

import type { proto } from 'baileys'
import {
  dropEmpty,
  fromSeconds,
  type KindTable,
  limitWords,
  type Reading,
  readPerson,
  toNumber,
} from './kind-reading.ts'

/** People whom a member gave the past of the group at once. */
const MAX_RECEIVERS = 256

function readGroupInvite({ groupInviteMessage }: proto.IMessage): Reading {
  const { groupJid, groupName, inviteCode, inviteExpiration, caption, groupType } = groupInviteMessage ?? {}
  return {
    type: 'other',
    text: limitWords(caption || groupName),
    content: {
      group: readPerson(groupJid),
      groupName: limitWords(groupName),
      code: limitWords(inviteCode),
      expiresAt: fromSeconds(inviteExpiration),
      ...dropEmpty({ caption: limitWords(caption), isCommunity: Number(groupType) === 1 }),
    },
  }
}

type ChannelInvite = Partial<
  proto.Message.INewsletterAdminInviteMessage & proto.Message.INewsletterFollowerInviteMessage
>

function readChannelInvite(invite: ChannelInvite | null | undefined, role: string): Reading {
  const { newsletterJid, newsletterName, caption, inviteExpiration } = invite ?? {}
  return {
    type: 'other',
    text: limitWords(caption || newsletterName),
    content: {
      channel: limitWords(newsletterJid),
      channelName: limitWords(newsletterName),
      role,
      ...dropEmpty({ caption: limitWords(caption), expiresAt: fromSeconds(inviteExpiration) }),
    },
  }
}

/** The file of a bundle is for the devices of those who joined. */
function readSharedHistory(metadata: proto.Message.IMessageHistoryMetadata | null | undefined): Reading {
  const { messageCount, oldestMessageTimestamp, historyReceivers } = metadata ?? {}
  const receivers = historyReceivers ?? []
  return {
    type: 'other',
    content: {
      messageCount: toNumber(messageCount),
      oldestAt: fromSeconds(oldestMessageTimestamp),
      receivers: receivers.slice(0, MAX_RECEIVERS).map(readPerson),
    },
    truncated: receivers.length > MAX_RECEIVERS,
  }
}

export const inviteKinds = {
  groupInviteMessage: readGroupInvite,
  newsletterAdminInviteMessage: (content) => readChannelInvite(content.newsletterAdminInviteMessage, 'admin'),
  newsletterFollowerInviteMessageV2: (content) =>
    readChannelInvite(content.newsletterFollowerInviteMessageV2, 'follower'),
  messageHistoryNotice: (content) => readSharedHistory(content.messageHistoryNotice?.messageHistoryMetadata),
  messageHistoryBundle: (content) => readSharedHistory(content.messageHistoryBundle?.messageHistoryMetadata),
  requestPhoneNumberMessage: () => ({ type: 'other', content: { requested: 'phoneNumber' } }),
} satisfies KindTable
