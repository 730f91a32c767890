// The chapter on health, capabilities, and this documentation.

import * as z from 'zod'
import { CONTRACT_VERSION } from '../contract/contract-version.ts'
import {
  ApiDocument,
  Capabilities,
  Greeting,
  Live,
  NotReady,
  Ready,
} from '../contract/responses/diagnostics-responses.ts'
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
  description: 'These routes report whether the service is up, and what this server can do.',
  routes: {
    checkLive: defineRoute({
      method: 'GET',
      path: '/health/live',
      summary: 'Checks that the process is up',
      description: 'It checks the HTTP process only, not the database and not the network.',
      auth: 'none',
      uncompressed: true,
      response: describeResponse(Live, 'The process is up.'),
    }),
    checkReady: defineRoute({
      method: 'GET',
      path: '/health/ready',
      summary: 'Checks that the database responds',
      description: 'It checks the database only: 200 does not mean that an instance is connected.',
      auth: 'none',
      uncompressed: true,
      response: describeResponse(Ready, 'The database responds.'),
      otherResponses: [
        {
          status: 503,
          description: 'The database did not respond.',
          schema: NotReady,
          samples: { answer: { status: 'not_ready', reason: 'database_unreachable' } },
        },
      ],
    }),
    getCapabilities: defineRoute({
      method: 'GET',
      path: '/v1/capabilities',
      summary: 'Returns what this server can do',
      description:
        'A capability that is not built is `false`. Before using voice, look for `calls` in both places.',
      auth: 'admin',
      response: describeResponse(Capabilities, 'The capabilities and limits.'),
    }),
    getGreeting: defineRoute({
      method: 'GET',
      path: '/',
      summary: 'Returns the name of this service and the paths of its pages',
      description: 'A browser, which accepts `text/html`, gets a page.',
      auth: 'none',
      response: describeResponse(Greeting, 'The paths of the pages.'),
    }),
    getConsole: defineRoute({
      method: 'GET',
      path: '/console',
      summary: 'Returns the console, a page for people',
      auth: 'none',
      response: { description: 'The page.', schema: z.string(), type: 'text/html' },
    }),
    getOpenapi: defineRoute({
      method: 'GET',
      path: '/openapi.json',
      summary: 'Returns this API as an OpenAPI 3.1 document',
      auth: 'none',
      conditional: true,
      response: { description: 'The document.', schema: ApiDocument },
    }),
    getDocs: defineRoute({
      method: 'GET',
      path: '/docs',
      summary: 'Returns this API as a page for people',
      auth: 'none',
      conditional: true,
      response: { description: 'The page.', schema: z.string(), type: 'text/html' },
    }),
  },
})
