// The chapter on health, capabilities, and this documentation.

import * as z from 'zod'
import { CONTRACT_VERSION } from '../contract/contract-version.ts'
import { Capabilities, Greeting, Live, NotReady, Ready } from '../contract/responses/diagnostics-responses.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'

export const greeting = {
  name: 'msgnet gateway',
  version: CONTRACT_VERSION,
  docs: '/docs',
  openapi: '/openapi.json',
  console: '/console',
  health: { live: '/health/live', ready: '/health/ready' },
}

export const diagnostics = defineChapter({
  title: 'Diagnostics',
  description: 'Whether the service is up, and what this server can do.',
  routes: {
    checkLive: defineRoute({
      method: 'GET',
      path: '/health/live',
      summary: 'Is the process up',
      description: 'Speaks of the HTTP process only: neither of the database nor of the network.',
      auth: 'none',
      response: describeResponse(Live, 'It is.'),
    }),
    checkReady: defineRoute({
      method: 'GET',
      path: '/health/ready',
      summary: 'Is the database there',
      description: 'Speaks of the database only: 200 does not mean that an instance is connected.',
      auth: 'none',
      response: describeResponse(Ready, 'It is.'),
      otherResponses: [
        {
          status: 503,
          description: 'The database did not answer.',
          schema: NotReady,
          samples: { answer: { status: 'not_ready', reason: 'database_unreachable' } },
        },
      ],
    }),
    getCapabilities: defineRoute({
      method: 'GET',
      path: '/v1/capabilities',
      summary: 'What this server can do',
      description: 'What is not built says `false`. Before using voice, look for `calls` in both places.',
      auth: 'admin',
      response: describeResponse(Capabilities, 'Abilities and limits.'),
    }),
    getGreeting: defineRoute({
      method: 'GET',
      path: '/',
      summary: 'What this is, and where to go on',
      description: 'A browser, which accepts `text/html`, gets a page.',
      auth: 'none',
      response: describeResponse(Greeting, 'Where everything is.'),
    }),
    getConsole: defineRoute({
      method: 'GET',
      path: '/console',
      summary: 'The console, a page for people',
      auth: 'none',
      response: { description: 'The page.', schema: z.string(), type: 'text/html' },
    }),
    getOpenapi: defineRoute({
      method: 'GET',
      path: '/openapi.json',
      summary: 'This API as an OpenAPI 3.1 document',
      auth: 'none',
      response: { description: 'The document.', schema: z.looseObject({ openapi: z.string() }) },
    }),
    getDocs: defineRoute({
      method: 'GET',
      path: '/docs',
      summary: 'This API as a page for people',
      auth: 'none',
      response: { description: 'The page.', schema: z.string(), type: 'text/html' },
    }),
  },
})
