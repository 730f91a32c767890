// Events, calls that are planned, and calls that took place.

import type { proto } from 'baileys'
import {
  dropEmpty,
  fromSeconds,
  type KindTable,
  limitWords,
  type Reading,
  readPerson,
  readTarget,
  toFinite,
  toNumber,
} from './kind-reading.ts'

const OUTCOMES = [
  ...(['connected', 'missed', 'failed', 'rejected', 'acceptedElsewhere', 'ongoing'] as const),
  ...(['silencedByDoNotDisturb', 'silencedUnknownCaller'] as const),
]
const CALL_TYPES = ['regular', 'scheduled', 'voiceChat']
const SCHEDULED_TYPES = ['', 'voice', 'video']
const MEDIA_TYPES = ['', 'audio', 'video']
const CANCEL = 1
/** Calls of groups have 32. */
const MAX_PARTICIPANTS = 64

export function describeEvent(event: proto.Message.IEventMessage): Record<string, unknown> {
  const { description, startTime, endTime, location, joinLink, isCanceled, isScheduleCall } = event
  const { name, address, degreesLatitude, degreesLongitude } = location ?? {}
  return {
    description: description ?? '',
    startTime: fromSeconds(startTime),
    ...(endTime && { endTime: fromSeconds(endTime) }),
    ...(location && {
      location: {
        name: name ?? '',
        address: address ?? '',
        latitude: toFinite(degreesLatitude),
        longitude: toFinite(degreesLongitude),
      },
    }),
    ...(joinLink && { joinLink }),
    ...(isScheduleCall && { isCall: true }),
    ...(isCanceled && { cancelled: true }),
  }
}

function readCallLog({ callLogMesssage }: proto.IMessage): Reading {
  const { isVideo, callOutcome, durationSecs, callType, participants } = callLogMesssage ?? {}
  return {
    type: 'other',
    content: {
      outcome: OUTCOMES[Number(callOutcome ?? 0)] ?? '',
      isVideo: isVideo === true,
      seconds: toNumber(durationSecs),
      callType: CALL_TYPES[Number(callType ?? 0)] ?? '',
      participants: (participants ?? []).slice(0, MAX_PARTICIPANTS).map((one) => ({
        jid: readPerson(one.jid),
        outcome: OUTCOMES[Number(one.callOutcome ?? 0)] ?? '',
      })),
    },
    truncated: (participants?.length ?? 0) > MAX_PARTICIPANTS,
  }
}

/** Somebody calls from an advertisement or a button: where the person came from. */
function readCallClick({ call }: proto.IMessage): Reading {
  const { conversionSource, conversionDelaySeconds, ctwaSignals, deeplinkPayload } = call ?? {}
  return {
    type: 'other',
    content: {
      source: limitWords(conversionSource),
      ...dropEmpty({
        delaySeconds: conversionDelaySeconds ?? 0,
        signals: limitWords(ctwaSignals),
        button: limitWords(call?.nativeFlowCallButtonPayload),
        deepLink: limitWords(deeplinkPayload),
      }),
    },
  }
}

function readCallEdit({ scheduledCallEditMessage }: proto.IMessage): Reading | undefined {
  const { key, editType } = scheduledCallEditMessage ?? {}
  const { target, content } = readTarget(key)
  if (!target) return undefined
  return { type: 'other', target, content: { ...content, cancelled: Number(editType) === CANCEL } }
}

export const eventKinds = {
  eventMessage: ({ eventMessage: event }) => ({
    type: 'other',
    text: event?.name ?? '',
    content: event ? describeEvent(event) : {},
  }),
  scheduledCallCreationMessage: ({ scheduledCallCreationMessage: call }) => ({
    type: 'other',
    text: limitWords(call?.title),
    content: {
      title: limitWords(call?.title),
      startTime: toNumber(call?.scheduledTimestampMs),
      callType: SCHEDULED_TYPES[Number(call?.callType ?? 0)] ?? '',
    },
  }),
  scheduledCallEditMessage: readCallEdit,
  bcallMessage: ({ bcallMessage: call }) => ({
    type: 'other',
    text: limitWords(call?.caption),
    content: {
      sessionId: limitWords(call?.sessionId),
      media: MEDIA_TYPES[Number(call?.mediaType ?? 0)] ?? '',
      ...(call?.caption && { caption: limitWords(call.caption) }),
    },
  }),
  callLogMesssage: readCallLog,
  call: readCallClick,
} satisfies KindTable
