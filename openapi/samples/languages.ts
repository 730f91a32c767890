// The languages of the samples.

import type { Ask } from './ask.ts'
import { curl } from './curl.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { typescript } from './typescript.ts'

export interface Language {
  title: string
  write(ask: Ask): string
}

/** By the name that the page gives them. */
export const languages = {
  curl: { title: 'curl', write: curl },
  typescript: { title: 'TypeScript', write: typescript },
  python: { title: 'Python', write: python },
  php: { title: 'PHP', write: php },
} satisfies Record<string, Language>
