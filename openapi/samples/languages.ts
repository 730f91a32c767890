// The languages of the samples.

import { writeCurl } from './curl.ts'
import { writeGo } from './go.ts'
import { writePhp } from './php.ts'
import { writePython } from './python.ts'
import type { SampleRequest } from './sample-request.ts'
import { writeTypescript } from './typescript.ts'

export interface Language {
  title: string
  write(request: SampleRequest): string
}

/** By the name that the page gives them. */
export const languages = {
  shell: { title: 'Shell', write: writeCurl },
  typescript: { title: 'TypeScript', write: writeTypescript },
  python: { title: 'Python', write: writePython },
  php: { title: 'PHP', write: writePhp },
  go: { title: 'Go', write: writeGo },
} satisfies Record<string, Language>

export type LanguageName = keyof typeof languages
