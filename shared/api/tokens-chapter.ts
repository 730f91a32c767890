// The chapter on admin tokens, with their scopes and their expiry.

import { TokenDeleted, TokenIssued, TokenList } from '../contract/responses/token-responses.ts'
import { RenewRequest, TokenRequest } from '../contract/token-requests.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'

export const tokens = defineChapter({
  title: 'Admin tokens',
  description:
    'The token of the environment can do everything and is changed there only. Beside it there can be an admin token for each person and program, with a name, a scope and an expiry. Only the digest of each is stored.',
  routes: {
    createToken: defineRoute({
      method: 'POST',
      path: '/v1/tokens',
      summary: 'Creates an admin token',
      description: 'Only this response contains the token.',
      auth: 'admin',
      scope: 'admin',
      audit: 'token.create',
      body: {
        schema: TokenRequest,
        onlyKnown: true,
        faults: { name: 'invalid_name' },
        samples: {
          'for a dashboard': { name: 'Dashboard', scope: 'read' },
          'for a month': { name: 'Deploys', scope: 'operate', expiresIn: 2_592_000 },
        },
      },
      response: describeResponse(TokenIssued, 'The token and its record.'),
      faults: ['invalid_name'],
      holdsToken: true,
    }),
    listTokens: defineRoute({
      method: 'GET',
      path: '/v1/tokens',
      summary: 'Lists all admin tokens but the one of the environment',
      description:
        'The list does not contain their values. Expired tokens are listed until they are deleted.',
      auth: 'admin',
      scope: 'admin',
      response: describeResponse(TokenList, 'The tokens, oldest first.'),
    }),
    renewToken: defineRoute({
      method: 'POST',
      path: '/v1/tokens/{id}/token',
      effect: 'destroys',
      summary: 'Renews the value of an admin token',
      description:
        'The old value becomes invalid at once, or after `overlap` seconds. At most two values are valid: a renewal within the overlap ends the older one. The expiry does not change.',
      auth: 'admin',
      scope: 'admin',
      audit: 'token.renew',
      names: 'token',
      body: {
        schema: RenewRequest,
        optional: true,
        samples: { 'at once': {}, 'both valid for a day': { overlap: 86_400 } },
      },
      response: describeResponse(TokenIssued, 'The new value.'),
      holdsToken: true,
    }),
    deleteToken: defineRoute({
      method: 'DELETE',
      path: '/v1/tokens/{id}',
      summary: 'Deletes an admin token',
      description: 'Every value of it becomes invalid at once.',
      auth: 'admin',
      scope: 'admin',
      audit: 'token.delete',
      names: 'token',
      response: describeResponse(TokenDeleted, 'The token is deleted.'),
      rawBody: true,
    }),
  },
})
