// The chapter on messages that are sent at a time.

import { limits } from '../contract/limits.ts'
import { ScheduledCancelled, ScheduledList, ScheduledPage } from '../contract/scheduled-list.ts'
import { defineChapter, defineRoute, describeFixedResponse, describeResponse } from './route-declaration.ts'

const faults = [
  'session_owned_elsewhere',
  'session_conflict',
  'msgnet_unreachable',
  'outcome_unknown',
] as const

export const scheduled = defineChapter({
  title: 'Scheduled messages',
  description: `Every route that sends takes \`sendAt\`: then the message waits in the session host, up to ${limits.maxScheduled} of an instance, and is sent once when it is due, as fast as the instance may send. If the instance is not connected then, the message is sent when it is; a day later it is \`Failed\` with \`error\` \`missed\`. It is sent by the account that scheduled it only: if the instance is linked to another one, it is \`Failed\` with \`other_account\`. A file is fetched when the message is accepted. A request above the limit is 429 with \`error_key\` \`too_many_scheduled\`, or \`scheduled_files_too_large\` above 1 GiB of files.`,
  routes: {
    listScheduled: defineRoute({
      method: 'GET',
      path: '/v1/scheduled',
      summary: 'Lists the messages that wait for their time',
      description:
        'The soonest is first. A page of long messages may be shorter than `limit`: `hasMore` says whether there are others.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      showsTexts: 'conversation.read',
      query: ScheduledPage,
      onlyKnownQuery: true,
      response: describeResponse(ScheduledList, 'Their records, as the requests that sent them got them.'),
      faults: [...faults, 'invalid_limit', 'invalid_query', 'message_not_found'],
      queryFaults: { limit: 'invalid_limit' },
    }),
    cancelScheduled: defineRoute({
      method: 'DELETE',
      path: '/v1/scheduled/{id}',
      summary: 'Cancels a message that waits for its time',
      description: 'A message that is being sent, or was sent, is 409 `session_conflict`.',
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      names: 'message',
      response: describeFixedResponse(ScheduledCancelled, 'The message will not be sent.', {
        cancelled: true,
      }),
      faults,
    }),
  },
})
