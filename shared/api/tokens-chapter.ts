// The chapter on admin tokens, with their scopes and their expiry.

import { TokenDeleted, TokenIssued, TokenList } from '../contract/responses/token-responses.ts'
import { RenewRequest, TokenRequest } from '../contract/token-requests.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'

export const tokens = defineChapter({
  title: 'Admin tokens',
  description:
    'Beside the token of the environment, which can do everything and is changed there only: as many as there are people and programs, each with a name, a scope and an end. Of each only the digest is kept.',
  routes: {
    createToken: defineRoute({
      method: 'POST',
      path: '/v1/tokens',
      summary: 'Make an admin token',
      description: 'The token is in this answer and nowhere else.',
      auth: 'admin',
      scope: 'admin',
      audit: 'token.create',
      body: {
        schema: TokenRequest,
        faults: { name: 'invalid_name' },
        samples: {
          'for a dashboard': { name: 'Dashboard', scope: 'read' },
          'for a month': { name: 'Deploys', scope: 'operate', expiresIn: 2_592_000 },
        },
      },
      response: describeResponse(TokenIssued, 'The token, and what is known of it.'),
      faults: ['invalid_name'],
      holdsToken: true,
    }),
    listTokens: defineRoute({
      method: 'GET',
      path: '/v1/tokens',
      summary: 'Every admin token but the one of the environment',
      description: 'Without their values. Those that have ended are listed until they are deleted.',
      auth: 'admin',
      scope: 'admin',
      response: describeResponse(TokenList, 'Oldest first.'),
    }),
    renewToken: defineRoute({
      method: 'POST',
      path: '/v1/tokens/{id}/token',
      effect: 'destroys',
      summary: 'Give it another value',
      description:
        'The old one stops at once, or after `overlap` seconds. Two values are good at most: a renewal within the overlap ends the older one. Its end stays what it was.',
      auth: 'admin',
      scope: 'admin',
      audit: 'token.renew',
      names: 'token',
      body: {
        schema: RenewRequest,
        optional: true,
        samples: { 'at once': {}, 'with a day to change over': { overlap: 86_400 } },
      },
      response: describeResponse(TokenIssued, 'The new value.'),
      holdsToken: true,
    }),
    deleteToken: defineRoute({
      method: 'DELETE',
      path: '/v1/tokens/{id}',
      summary: 'End an admin token',
      description: 'Every value of it stops at once.',
      auth: 'admin',
      scope: 'admin',
      audit: 'token.delete',
      names: 'token',
      response: describeResponse(TokenDeleted, 'Ended.'),
      rawBody: true,
    }),
  },
})
