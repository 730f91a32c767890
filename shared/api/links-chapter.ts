// The chapter on one-time links, by which the person with the phone links it.

import { LinkRequest } from '../contract/link-requests.ts'
import { LinkCreated, LinkDeleted, LinkList } from '../contract/responses/link-responses.ts'
import { defineChapter, defineRoute, describeFixedResponse, describeResponse } from './route-declaration.ts'

export const links = defineChapter({
  title: 'One-time links',
  description:
    'A one-time link for a device is for the person with the phone: it opens a page that shows the QR code or the pairing code, the state and the reason in words, and a passkey’s step, and nothing else of the instance but its name. A link ends when a device is linked, when it expires, when it is deleted, and with the instance. A link for `webhooks` is for who receives them: its page shows the webhooks of the instance, their health and what failed, tests them and delivers events again, and shows nothing else. It goes on when a device is linked.',
  routes: {
    createLink: defineRoute({
      method: 'POST',
      path: '/v1/instances/{id}/links',
      summary: 'Creates a one-time link to a page for one person',
      description:
        'Send the `url` to that person. Opening the page connects nothing; the person’s first step there does. For a `device` of an instance that is linked already, the response is 409 `session_conflict`.',
      auth: 'admin',
      audit: 'link.create',
      names: 'instance',
      body: {
        schema: LinkRequest,
        onlyKnown: true,
        optional: true,
        samples: {
          'for an hour': {},
          'for a day, in Portuguese': { expiresIn: 86_400, language: 'pt-BR' },
          'to the webhooks': { purpose: 'webhooks' },
        },
      },
      response: describeResponse(LinkCreated, 'The link. No other response has its URL.'),
      faults: ['session_conflict'],
      holdsToken: true,
    }),
    listLinks: defineRoute({
      method: 'GET',
      path: '/v1/instances/{id}/links',
      summary: 'Lists the links of the instance that can still be used',
      description: 'The list does not contain their URLs.',
      auth: 'admin',
      scope: 'operate',
      names: 'instance',
      response: describeResponse(LinkList, 'The links.'),
    }),
    deleteLink: defineRoute({
      method: 'DELETE',
      path: '/v1/instances/{id}/links/{linkId}',
      summary: 'Ends a link',
      description: 'An open page of it stops at once. A device that is linked stays linked.',
      auth: 'admin',
      audit: 'link.delete',
      names: 'instance',
      namesWithin: 'link',
      response: describeFixedResponse(LinkDeleted, 'The link has ended.', { response: 'Link deleted' }),
      rawBody: true,
    }),
  },
})
