// The quick start as a program in each language; a test runs them.

import type { LanguageName } from '../samples/languages.ts'
import { goSteps } from './go-start.ts'
import { phpSteps } from './php-start.ts'
import { pythonSteps } from './python-start.ts'
import { shellSteps } from './shell-start.ts'
import { quickStart, type Steps } from './start-steps.ts'
import { typescriptSteps } from './typescript-start.ts'

export const quickStartCode: Record<LanguageName, Steps> = {
  shell: shellSteps,
  typescript: typescriptSteps,
  python: pythonSteps,
  php: phpSteps,
  go: goSteps,
}

/** All steps of one language: a program that runs, as the page copies it. */
export const joinSteps = (language: LanguageName): string =>
  quickStart.map(({ id }) => `${quickStartCode[language][id].trimEnd()}\n`).join('\n')
