// Requests that send polls, buttons, lists and carousels.

import * as z from 'zod'
import { applyIf, matchPresence, matchValues } from './field-rules.ts'
import { limits, MIB } from './limits.ts'
import { type MenuForm, menuLimits, parseMenuCards } from './menu-choices.ts'
import { mentionRule, NetworkNumber, numberDescription, sendOptions } from './message-requests.ts'
import { FILE, FileText, isWithin, limitText, limitTrimmedText } from './text-fields.ts'

const { maxPollChoices, maxPollChoice, maxPollQuestion, maxTitle, maxChoice } = menuLimits

const PICTURE_LINE = '^\\s*\\{'
/** Of a list or a carousel: a row, a button, or a text in square brackets. */
const WORDS = '(?!\\[\\s*\\]\\s*$)[^\\s|{]'

/** A picture in curly brackets may be longer than words. */
const Choice = z
  .string()
  .trim()
  .min(1)
  .refine(
    (text) => text.startsWith('{') || isWithin(text, maxChoice),
    `must have at most ${maxChoice} characters`,
  )
  .meta({ pattern: '\\S', ...applyIf({ not: { pattern: PICTURE_LINE } }, { maxLength: maxChoice }) })

const pictureFault = { path: 'imageButton', message: 'must be left out: it is the picture of buttons' }
const pictureRule = applyIf(matchPresence('imageButton'), { properties: { type: { enum: ['button'] } } })

export const SendMenu = z
  .object({
    number: NetworkNumber.describe(numberDescription),
    type: z
      .enum(['poll', 'button', 'list', 'carousel'])
      .describe(
        '`button`, `list` and `carousel` need `INTERACTIVE=on` on the server: `capabilities.interactive`.',
      ),
    text: limitTrimmedText(menuLimits.maxText).describe(
      `The question; of a poll ${maxPollQuestion} characters at most.`,
    ),
    choices: z
      .array(Choice)
      .min(1)
      .max(menuLimits.maxLines)
      .describe(
        'Poll: 2 to 12 different choices. Button: `text|id`, or `text|https://…`, `text|copy:…`, `text|call:+…`; without an id the text is the id. List: `text|id|description`, under titles in square brackets. Carousel: each card is its text in square brackets, its picture in curly brackets if it has one (a URL, or a data URI), and its buttons.',
      ),
    selectableCount: z
      .int()
      .min(0)
      .max(maxPollChoices)
      .default(1)
      .describe('Of a poll: how many choices one person may select; 0 for all.'),
    footerText: limitText(maxTitle, z.string().trim())
      .optional()
      .describe('Words below buttons and lists. Polls have none: of a poll they are taken without effect.'),
    listButton: limitText(maxTitle, z.string().trim())
      .optional()
      .describe('The words on the button that opens a list.'),
    imageButton: FileText.optional().describe(
      `Of buttons: the picture above them, as an allowed URL, a data URI or base64. Pictures are JPEG, PNG or WebP; those of a message may have up to ${limits.maxMenuPictureBytes / MIB} MiB together.`,
    ),
    ...sendOptions,
  })
  .superRefine(({ type, imageButton, ...menu }, context) => {
    const misplaced = type !== 'button' && imageButton !== undefined ? pictureFault : undefined
    const found = misplaced ?? (type === 'poll' ? findPollFault(menu) : findMenuFault(type, menu.choices))
    if (found) context.addIssue({ code: 'custom', path: [found.path], message: found.message })
  })
  .meta({ ...mentionRule, allOf: [pictureRule, ...listMenuRules()] })

/** The document does not show these rules: choices have different ids, a picture is directly below the text of its card, and each title has something below it. */
function listMenuRules() {
  const { maxButtons, maxRows, maxLines } = menuLimits
  const limitChoices = (type: string, choices: object, text: object = {}) =>
    applyIf(matchValues('type', [type]), { properties: { choices, text } })
  return [
    limitChoices(
      'poll',
      { minItems: 2, maxItems: maxPollChoices, uniqueItems: true, items: { maxLength: maxPollChoice } },
      { maxLength: maxPollQuestion },
    ),
    limitChoices('button', { maxItems: maxButtons, items: { pattern: '^\\s*[^\\s|{]' } }),
    limitChoices('list', {
      maxItems: maxLines,
      items: { pattern: `^\\s*${WORDS}` },
      contains: { pattern: '^\\s*(?!\\[[\\s\\S]*\\]\\s*$)[^\\s|{]' },
      maxContains: maxRows,
    }),
    limitChoices('carousel', {
      minItems: 2,
      items: { pattern: `^\\s*(${WORDS}|\\{\\s*(${FILE})\\s*\\}\\s*$)` },
      prefixItems: [{ pattern: '^\\s*\\[[\\s\\S]*\\S[\\s\\S]*\\]\\s*$' }],
    }),
  ]
}

interface PollFields {
  text: string
  choices: string[]
  selectableCount: number
}

function findPollFault({ text, choices, selectableCount }: PollFields) {
  if (!isWithin(text, maxPollQuestion))
    return { path: 'text', message: `must have ${maxPollQuestion} characters at most in a poll` }
  if (choices.length < 2 || choices.length > maxPollChoices)
    return { path: 'choices', message: `must be 2 to ${maxPollChoices} in a poll` }
  if (choices.some((choice) => !isWithin(choice, maxPollChoice)))
    return { path: 'choices', message: `must have ${maxPollChoice} characters at most in a poll` }
  if (new Set(choices).size < choices.length)
    return { path: 'choices', message: 'must differ from each other' }
  return selectableCount > choices.length
    ? { path: 'selectableCount', message: 'must not be more than there are choices' }
    : undefined
}

function findMenuFault(form: MenuForm, choices: string[]) {
  const message = parseMenuCards(form, choices)
  return typeof message === 'string' ? { path: 'choices', message } : undefined
}
