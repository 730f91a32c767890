// The chapter for operators of many instances: what needs attention, and the lists behind the figures.

import * as z from 'zod'
import { Status } from '../contract/instance-requests.ts'
import { limits } from '../contract/limits.ts'
import {
  AbsenceReason,
  InstancePage,
  Overview,
  WebhookState,
} from '../contract/responses/overview-responses.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'

/** Words in one parameter, with commas between them. */
const listWords = <Word extends string>({ options }: { options: Word[] }) =>
  z
    .string()
    .regex(
      new RegExp(`^(${options.join('|')})(,(${options.join('|')}))*$`),
      `must be ${options.join(', ')}, or several of them with commas`,
    )
    .transform((text) => text.split(',') as Word[])
    .optional()

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

const Hosts = z
  .string()
  .regex(new RegExp(`^${UUID}(,${UUID})*$`), 'must be UUIDs with commas')
  .transform((text) => text.toLowerCase().split(','))
  .optional()

const InstanceSort = z.enum([
  'name',
  '-name',
  'created',
  '-created',
  'state',
  'lastEvent',
  '-lastEvent',
  '-pending',
])
const InstanceSearch = z.object({
  state: listWords(Status).describe('Returns only instances in one of these states.'),
  reason: listWords(AbsenceReason).describe(
    'Returns only instances that are not connected for one of these reasons.',
  ),
  webhook: listWords(WebhookState).describe(
    'Returns only instances whose webhook is in one of these states.',
  ),
  events: listWords(z.enum(['pending', 'dead'])).describe(
    'Returns only instances with an event that waits at one of their webhooks, or that is dead there.',
  ),
  host: Hosts.describe('Returns only instances of these session hosts.'),
  search: z
    .string()
    .max(limits.maxSearchLength)
    .optional()
    .describe(
      'Words that must all occur in the name, the `companyId` or the number, or begin the id. Accents and case do not count, and a number is found in any spelling.',
    ),
  sort: InstanceSort.default('name').describe(
    'A minus sign means descending order. `state`: first those that are disconnected, then by name.',
  ),
  limit: z.int().min(1).max(limits.maxListedInstances).default(limits.defaultListedInstances),
  after: z.string().optional().describe('`next` of the page before, with the same `sort`.'),
})

export const overview = defineChapter({
  title: 'Overview',
  description:
    'Operators of many instances see here what needs attention. Each figure of the overview has its list: the same words filter the instances.',
  routes: {
    getOverview: defineRoute({
      method: 'GET',
      path: '/v1/overview',
      summary: 'Counts instances, webhooks, events and session hosts by their state',
      description:
        'The counts may be some seconds old; `at` says how old. Events are counted in the hour in which they came, by the status that they have now. An event without a receiver is `unaddressed` and never counts as delivered.',
      auth: 'admin',
      conditional: true,
      response: describeResponse(Overview, 'The counts.'),
    }),
    searchInstances: defineRoute({
      method: 'GET',
      path: '/v1/instances',
      summary: 'Searches, filters and sorts instances',
      description:
        'Filters are combined: an instance must match all of them. Pages are stable: an instance that does not change is neither repeated nor left out while others come, go or change. The number stays after a device is unlinked.',
      auth: 'admin',
      query: InstanceSearch,
      onlyKnownQuery: true,
      conditional: true,
      cost: 'page',
      response: describeResponse(InstancePage, 'A page of instances.'),
      faults: ['invalid_limit', 'quota_reached'],
      queryFaults: { limit: 'invalid_limit' },
    }),
  },
})
