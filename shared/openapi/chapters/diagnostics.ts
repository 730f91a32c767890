// The chapter on health, on what this server can do, and on this documentation.

import * as z from 'zod'
import { Capabilities, Live, NotReady, Ready } from '../../contract/answers/diagnostics.ts'
import { CONTRACT_VERSION, limits, PHASE } from '../../contract/version.ts'
import { answers, type Chapter } from '../operation.ts'

const capabilities = {
  status: PHASE,
  version: CONTRACT_VERSION,
  instance_kinds: ['msgnet'],
  capabilities: {
    ...{ messages: true, webhooks: true, events: true, calls: false, callsOutbound: false },
    ...{ media: false, groups: false, chats: false, replay: true, stream: true },
  },
  limits: { ...limits, sendsPerSecond: 100, sendsAtOnce: 200 },
}

export const diagnostics: Chapter = {
  title: 'Diagnostics',
  says: 'Whether the service is up, and what this server can do.',
  operations: {
    'GET /health/live': {
      id: 'checkLive',
      summary: 'Is the process up',
      says: 'Speaks of the HTTP process only: neither of the database nor of the network.',
      who: 'anybody',
      answers: answers(Live, 'It is.', { status: 'live' }),
    },
    'GET /health/ready': {
      id: 'checkReady',
      summary: 'Is the database there',
      says: 'Speaks of the database only: 200 does not mean that an instance is connected.',
      who: 'anybody',
      answers: [
        ...answers(Ready, 'It is.', { status: 'ready' }),
        {
          status: 503,
          says: 'The database did not answer.',
          schema: NotReady,
          examples: { answer: { status: 'not_ready', reason: 'database_unreachable' } },
        },
      ],
    },
    'GET /v1/capabilities': {
      id: 'getCapabilities',
      summary: 'What this server can do',
      says: 'What is not built says `false`. Before using voice, look for `calls` in both places.',
      who: 'admin',
      answers: answers(Capabilities, 'Abilities and limits.', capabilities),
    },
    'GET /openapi.json': {
      id: 'getOpenapi',
      summary: 'This API as an OpenAPI 3.1 document',
      who: 'anybody',
      answers: [{ status: 200, says: 'The document.', schema: z.looseObject({ openapi: z.string() }) }],
    },
    'GET /docs': {
      id: 'getDocs',
      summary: 'This API as a page for people',
      who: 'anybody',
      answers: [{ status: 200, says: 'The page.', schema: z.string(), type: 'text/html' }],
    },
  },
}
