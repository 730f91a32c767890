// Reads polls, which the network has in three versions.

import type { proto } from 'baileys'

export const pollIn = (
  content: proto.IMessage | null | undefined,
): proto.Message.IPollCreationMessage | undefined =>
  content?.pollCreationMessage ??
  content?.pollCreationMessageV2 ??
  content?.pollCreationMessageV3 ??
  undefined

export const choicesIn = (poll: proto.Message.IPollCreationMessage): string[] =>
  (poll.options ?? []).map(({ optionName }) => optionName ?? '')
