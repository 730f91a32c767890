// A message of each kind from field 51 on, in the JSON form of its field, and what its record says.

import {
  AT,
  BYTES,
  cover,
  file,
  hello,
  type KindSample,
  media,
  poll,
  pollRecord,
  results,
  resultsRecord,
  sealed,
  TARGET,
  wrap,
} from './kind-sample-parts.ts'

/** By the field of the message. */
export const laterSamples: Record<string, KindSample> = {
  keepInChatMessage: {
    fields: { key: TARGET, keepType: 'KEEP_FOR_ALL' },
    record: { type: 'keep', text: '', target: 'TARGET', content: { target: 'TARGET', kept: true } },
  },
  documentWithCaptionMessage: cover(),
  requestPhoneNumberMessage: {
    fields: {},
    record: { type: 'other', text: '', content: { requested: 'phoneNumber' } },
  },
  viewOnceMessageV2: cover(),
  encReactionMessage: {
    fields: sealed,
    record: { type: 'other', text: '', target: 'TARGET', sealed: true, content: { target: 'TARGET' } },
  },
  editedMessage: cover(),
  viewOnceMessageV2Extension: cover(),
  pollCreationMessageV2: { fields: poll, record: pollRecord },
  scheduledCallCreationMessage: {
    fields: { scheduledTimestampMs: AT * 1000, callType: 'VIDEO', title: 'Weekly call' },
    record: {
      type: 'other',
      text: 'Weekly call',
      content: { title: 'Weekly call', startTime: AT * 1000, callType: 'video' },
    },
  },
  groupMentionedMessage: wrap('groupMentionedMessage'),
  pinInChatMessage: {
    fields: { key: TARGET, type: 'UNPIN_FOR_ALL' },
    record: {
      type: 'pin',
      text: '',
      target: 'TARGET',
      content: { target: 'TARGET', pinned: false, pinnedUntil: 0 },
    },
  },
  pollCreationMessageV3: { fields: poll, record: pollRecord },
  scheduledCallEditMessage: {
    fields: { key: TARGET, editType: 'CANCEL' },
    record: { type: 'other', text: '', target: 'TARGET', content: { target: 'TARGET', cancelled: true } },
  },
  ptvMessage: { fields: file, record: media('video') },
  botInvokeMessage: wrap('botInvokeMessage'),
  callLogMesssage: {
    fields: {
      isVideo: true,
      callOutcome: 'MISSED',
      durationSecs: 0,
      callType: 'REGULAR',
      participants: [{ jid: '5511900000001@s.whatsapp.net', callOutcome: 'MISSED' }],
    },
    record: {
      type: 'other',
      text: '',
      content: {
        outcome: 'missed',
        isVideo: true,
        seconds: 0,
        callType: 'regular',
        participants: [{ jid: '5511900000001@s.msgnet.net', outcome: 'missed' }],
      },
    },
  },
  messageHistoryBundle: {
    fields: {
      mimetype: 'application/octet-stream',
      messageHistoryMetadata: {
        messageCount: 40,
        oldestMessageTimestamp: AT,
        historyReceivers: ['5511900000001@s.whatsapp.net'],
      },
    },
    record: {
      type: 'other',
      text: '',
      content: { messageCount: 40, oldestAt: AT * 1000, receivers: ['5511900000001@s.msgnet.net'] },
    },
  },
  encCommentMessage: {
    fields: sealed,
    record: { type: 'other', text: '', target: 'TARGET', sealed: true, content: { target: 'TARGET' } },
  },
  bcallMessage: {
    fields: { sessionId: 's1', mediaType: 'AUDIO', caption: 'Listen in' },
    record: {
      type: 'other',
      text: 'Listen in',
      content: { sessionId: 's1', media: 'audio', caption: 'Listen in' },
    },
  },
  lottieStickerMessage: {
    fields: { message: { stickerMessage: { ...file, isAnimated: true } } },
    record: {
      ...media('sticker', { isAnimated: true, wrapper: 'lottieStickerMessage' }),
      messageType: 'stickerMessage',
    },
  },
  eventMessage: {
    fields: { name: 'Dinner', description: 'At eight', startTime: AT, joinLink: 'https://call.example' },
    record: {
      type: 'other',
      text: 'Dinner',
      content: { description: 'At eight', startTime: AT * 1000, joinLink: 'https://call.example' },
    },
  },
  encEventResponseMessage: {
    fields: { eventCreationMessageKey: TARGET, encPayload: BYTES, encIv: BYTES },
    record: { type: 'other', text: '', target: 'TARGET', sealed: true, content: { target: 'TARGET' } },
  },
  commentMessage: {
    fields: { message: hello, targetMessageKey: TARGET },
    record: {
      type: 'text',
      text: 'Hello',
      messageType: 'conversation',
      content: { text: 'Hello', target: 'TARGET' },
    },
  },
  newsletterAdminInviteMessage: {
    fields: {
      newsletterJid: '1@newsletter',
      newsletterName: 'News',
      caption: 'Help me',
      inviteExpiration: AT,
    },
    record: {
      type: 'other',
      text: 'Help me',
      content: {
        channel: '1@newsletter',
        channelName: 'News',
        role: 'admin',
        caption: 'Help me',
        expiresAt: AT * 1000,
      },
    },
  },
  placeholderMessage: { fields: {}, record: { type: 'other', text: '', content: {}, truncated: true } },
  secretEncryptedMessage: {
    fields: { ...sealed, secretEncType: 'MESSAGE_EDIT' },
    record: { type: 'edit', text: '', target: 'TARGET', sealed: true, content: {} },
  },
  albumMessage: {
    fields: { expectedImageCount: 3, expectedVideoCount: 1 },
    record: { type: 'other', text: '', content: { images: 3, videos: 1 } },
  },
  eventCoverImage: {
    fields: { message: { imageMessage: file } },
    record: { ...media('image', { wrapper: 'eventCoverImage' }), messageType: 'imageMessage' },
  },
  stickerPackMessage: {
    fields: { name: 'Cats', publisher: 'Ben', caption: 'Use them', stickers: [{ fileName: 'a.webp' }] },
    record: {
      type: 'other',
      text: 'Use them',
      content: { name: 'Cats', publisher: 'Ben', stickers: 1, caption: 'Use them' },
    },
  },
  statusMentionMessage: {
    fields: { message: { protocolMessage: { key: TARGET, type: 'STATUS_MENTION_MESSAGE' } } },
    record: {
      type: 'other',
      text: '',
      messageType: 'protocolMessage',
      content: { statusMention: true, target: 'TARGET', wrapper: 'statusMentionMessage' },
    },
  },
  pollResultSnapshotMessage: { fields: results, record: resultsRecord },
  pollCreationOptionImageMessage: wrap('pollCreationOptionImageMessage'),
  associatedChildMessage: wrap('associatedChildMessage'),
  groupStatusMentionMessage: wrap('groupStatusMentionMessage'),
  pollCreationMessageV4: {
    fields: { message: { pollCreationMessageV3: poll } },
    record: {
      ...pollRecord,
      messageType: 'pollCreationMessageV3',
      content: { ...pollRecord.content, wrapper: 'pollCreationMessageV4' },
    },
  },
  statusAddYours: wrap('statusAddYours'),
  groupStatusMessage: wrap('groupStatusMessage'),
  richResponseMessage: {
    fields: {
      submessages: [
        { messageText: 'Two ways:' },
        { tableMetadata: { rows: [{ items: ['Bus', '2 km'] }] } },
        { codeMetadata: { codeBlocks: [{ codeContent: 'go()' }] } },
      ],
    },
    record: {
      type: 'text',
      text: 'Two ways:\n\nBus | 2 km\n\ngo()',
      content: { text: 'Two ways:\n\nBus | 2 km\n\ngo()' },
    },
  },
  statusNotificationMessage: {
    fields: { originalMessageKey: TARGET, responseMessageKey: { id: 'ANSWER' }, type: 'STATUS_RESHARE' },
    record: {
      type: 'other',
      text: '',
      target: 'TARGET',
      content: { target: 'TARGET', notice: 'reshare', response: 'ANSWER' },
    },
  },
  limitSharingMessage: {
    fields: {
      message: { protocolMessage: { type: 'LIMIT_SHARING', limitSharing: { sharingLimited: true } } },
    },
    record: {
      type: 'other',
      text: '',
      messageType: 'protocolMessage',
      content: { sharingLimited: true, wrapper: 'limitSharingMessage' },
    },
  },
  botTaskMessage: wrap('botTaskMessage'),
  questionMessage: wrap('questionMessage'),
  messageHistoryNotice: {
    fields: { messageHistoryMetadata: { messageCount: 40, oldestMessageTimestamp: AT } },
    record: { type: 'other', text: '', content: { messageCount: 40, oldestAt: AT * 1000, receivers: [] } },
  },
  groupStatusMessageV2: wrap('groupStatusMessageV2'),
  botForwardedMessage: wrap('botForwardedMessage'),
  statusQuestionAnswerMessage: {
    fields: { key: TARGET, text: 'Blue' },
    record: { type: 'other', text: 'Blue', target: 'TARGET', content: { target: 'TARGET' } },
  },
  questionReplyMessage: wrap('questionReplyMessage'),
  questionResponseMessage: {
    fields: { key: TARGET, text: 'Blue' },
    record: { type: 'other', text: 'Blue', target: 'TARGET', content: { target: 'TARGET' } },
  },
  statusQuotedMessage: {
    fields: { type: 'QUESTION_ANSWER', text: 'Blue', originalStatusId: TARGET },
    record: { type: 'other', text: 'Blue', target: 'TARGET', content: { target: 'TARGET' } },
  },
  statusStickerInteractionMessage: {
    fields: { key: TARGET, stickerKey: 'heart', type: 'REACTION' },
    record: {
      type: 'other',
      text: '',
      target: 'TARGET',
      content: { target: 'TARGET', interaction: 'reaction', sticker: 'heart' },
    },
  },
  pollCreationMessageV5: {
    fields: { ...poll, pollType: 'QUIZ', correctAnswer: { optionName: 'Today' } },
    record: { ...pollRecord, content: { ...pollRecord.content, quiz: true, rightAnswer: 'Today' } },
  },
  newsletterFollowerInviteMessageV2: {
    fields: { newsletterJid: '1@newsletter', newsletterName: 'News' },
    record: {
      type: 'other',
      text: 'News',
      content: { channel: '1@newsletter', channelName: 'News', role: 'follower' },
    },
  },
  pollResultSnapshotMessageV3: { fields: results, record: resultsRecord },
}
