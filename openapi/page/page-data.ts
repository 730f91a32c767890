// The data that the page's script writes samples and forms from: the page has it once, as JSON.

import { verificationSamples } from '@msgnet/shared/verification-samples.ts'
import { type Entry, entries } from '../document.ts'
import { quickStartCode } from '../quick-start/quick-start.ts'
import { quickStart } from '../quick-start/start-steps.ts'
import { type LanguageName, languages } from '../samples/languages.ts'
import { listSampleBodies, toRequestShape } from './sample-bodies.ts'
import { type WrittenShape, writeShape } from './written-shapes.ts'

export interface PageData {
  /** By operation: the shape of its requests, and sample bodies by name. */
  requests: Record<string, { shape: WrittenShape; bodies: { name: string; body: unknown }[] }>
  /** Code that is written by hand, by the id of its block. */
  guides: Record<string, Record<LanguageName, string>>
}

/** Routes for our own hosts have no samples and no form. */
const listAsked = (): Entry[] => entries.filter(({ operation }) => operation.auth !== 'host')

const languageNames = Object.keys(languages) as LanguageName[]

export const verificationCode: Record<LanguageName, string> = {
  shell: quickStartCode.shell.verify.slice(quickStartCode.shell.verify.indexOf('KEY=')),
  typescript: verificationSamples.TypeScript,
  python: verificationSamples.Python,
  php: verificationSamples.PHP,
  go: verificationSamples.Go,
}

export const buildPageData = (): PageData => ({
  requests: Object.fromEntries(
    listAsked().map((entry) => [
      entry.operation.id,
      { shape: writeShape(toRequestShape(entry)), bodies: listSampleBodies(entry) },
    ]),
  ),
  guides: {
    verify: verificationCode,
    ...Object.fromEntries(
      quickStart.map(({ id }) => [
        `start-${id}`,
        Object.fromEntries(languageNames.map((language) => [language, quickStartCode[language][id]])),
      ]),
    ),
  } as PageData['guides'],
})
