// The chapter on what the admin does with an instance by its id: the same effects, without its token.

import { TokenResult } from '../../contract/answers/instance.ts'
import { answers, type Chapter, type Operation } from '../operation.ts'
import * as sample from '../samples.ts'
import { connect, disconnect, remove, restart, status } from './instances.ts'

const byId = (operation: Operation): Operation => ({
  ...operation,
  id: `${operation.id}ById`,
  who: 'admin',
  named: 'instance',
})

export const instancesById: Chapter = {
  title: 'Instances by id',
  says: 'What an instance can do with its token, the admin can do by its id, with the same effects.',
  operations: {
    'GET /v1/instances/{id}': byId(status),
    'DELETE /v1/instances/{id}': byId(remove),
    'POST /v1/instances/{id}/connect': byId(connect),
    'POST /v1/instances/{id}/disconnect': byId(disconnect),
    'POST /v1/instances/{id}/restart': byId(restart),
    'POST /v1/instances/{id}/token': {
      id: 'renewTokenById',
      summary: 'Give the instance another token',
      says: 'The old one stops at once. The new one is in this answer and nowhere else.',
      who: 'admin',
      named: 'instance',
      answers: answers(TokenResult, 'The new token.', {
        token: sample.instanceToken,
        instance: sample.connected,
      }),
    },
  },
}
