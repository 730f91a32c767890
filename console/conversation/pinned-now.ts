// Whether a message is pinned at present.

import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'

/** 0: its sender did not say until when. */
export const isPinnedNow = ({ content: { pinned, pinnedUntil } }: MessageRecord): boolean =>
  pinned === true && (!pinnedUntil || Number(pinnedUntil) > Date.now())
