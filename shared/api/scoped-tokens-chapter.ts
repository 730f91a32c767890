// The chapter on scoped tokens: further tokens of an instance, for agents, integrators and screens.

import {
  ScopedTokenDeleted,
  ScopedTokenIssued,
  ScopedTokenList,
} from '../contract/responses/scoped-token-responses.ts'
import { ScopedTokenRequest } from '../contract/scoped-token.ts'
import {
  defineChapter,
  defineRoute,
  describeFixedResponse,
  describeResponse,
  type Route,
} from './route-declaration.ts'
import * as sample from './sample-values.ts'

const create = {
  method: 'POST',
  summary: 'Creates a scoped token of the instance',
  description: 'Only this response contains the token.',
  audit: 'scopedToken.create',
  body: {
    schema: ScopedTokenRequest,
    onlyKnown: true,
    faults: { name: 'invalid_name' },
    samples: {
      'for an agent, with two chats, for a day': {
        name: 'Agent',
        scope: 'send',
        chats: [sample.customer, sample.groupJid],
        expiresIn: 86_400,
      },
    },
  },
  response: describeResponse(ScopedTokenIssued, 'The token and its record.'),
  faults: ['invalid_name', 'too_many_tokens'],
  holdsToken: true,
} satisfies Partial<Route>

const list = {
  method: 'GET',
  summary: 'Lists the scoped tokens of the instance',
  description: 'Without their values; expired ones until they are deleted.',
  response: describeResponse(ScopedTokenList, 'The tokens.'),
} satisfies Partial<Route>

const remove = {
  method: 'DELETE',
  summary: 'Deletes a scoped token',
  description: 'It becomes invalid at once; its streams and links to files end.',
  audit: 'scopedToken.delete',
  namesWithin: 'scopedToken',
  response: describeFixedResponse(ScopedTokenDeleted, 'The token is deleted.', { response: 'Token deleted' }),
  rawBody: true,
} satisfies Partial<Route>

const own = { auth: 'instance', tokenScope: 'own' } as const
const byId = { auth: 'admin', scope: 'operate', names: 'instance' } as const

export const scopedTokens = defineChapter({
  title: 'Scoped tokens',
  description:
    'Beside its own token an instance may have up to 100 others: `read`, `send` or `full`, for all chats or some, for ever or a time. They are sent in the header `token`. Each route says which scope it needs; out of scope is 403 `not_admin` with `error_key` `scope`. Chats that were not chosen are as if they were not there. Quotas are those of the instance.',
  routes: {
    createScopedToken: defineRoute({ ...own, ...create, path: '/instance/tokens' }),
    listScopedTokens: defineRoute({ ...own, ...list, path: '/instance/tokens' }),
    deleteScopedToken: defineRoute({ ...own, ...remove, path: '/instance/tokens/{tokenId}' }),
    createScopedTokenById: defineRoute({ ...byId, ...create, path: '/v1/instances/{id}/tokens' }),
    listScopedTokensById: defineRoute({ ...byId, ...list, path: '/v1/instances/{id}/tokens' }),
    deleteScopedTokenById: defineRoute({ ...byId, ...remove, path: '/v1/instances/{id}/tokens/{tokenId}' }),
  },
})
