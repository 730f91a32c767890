// Requests that send polls.

import * as z from 'zod'
import { NetworkNumber, numberDescription, sendOptions } from './message-requests.ts'

const choice = z.string().trim().min(1).max(100)

export const SendMenu = z
  .object({
    number: NetworkNumber.describe(numberDescription),
    type: z
      .literal('poll', 'must be poll: the network shows no buttons, lists and carousels of linked devices')
      .describe(
        '`button`, `list` and `carousel` are refused: the network does not show them if a linked device sends them.',
      ),
    text: z.string().trim().min(1).max(255).describe('The question.'),
    choices: z
      .array(choice)
      .min(2)
      .max(12)
      .refine((all) => new Set(all).size === all.length, 'must differ from each other')
      .describe('2 to 12 different choices.'),
    selectableCount: z
      .int()
      .min(0)
      .max(12)
      .default(1)
      .describe('How many choices one person may select; 0 for all.'),
    ...sendOptions,
  })
  .refine(({ choices, selectableCount }) => selectableCount <= choices.length, {
    path: ['selectableCount'],
    message: 'must not be more than there are choices',
  })
