// The texts of the console in the language of this browser, chosen once when the page loads; the other languages are not loaded.

import { chooseLanguage, type Language } from './language.ts'
import type { english } from './texts/english.ts'

const catalogues: Record<Language, () => Promise<typeof english>> = {
  en: async () => (await import('./texts/english.ts')).english,
  'pt-BR': async () => (await import('./texts/portuguese.ts')).portuguese,
  es: async () => (await import('./texts/spanish.ts')).spanish,
}

// Tests of parts run without a browser.
const { location } = globalThis as { location?: { search: string } }
/** A one-time link may name the language of its page. */
const asked = new URLSearchParams(location?.search).get('language')

export const { language, locale } = chooseLanguage(
  asked ? [asked, ...navigator.languages] : navigator.languages,
)
export const texts = await catalogues[language]()
