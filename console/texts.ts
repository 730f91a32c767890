// The texts of the console in the language of this browser, chosen once when the page loads; the other languages are not loaded.

import { chooseLanguage, type Language } from './language.ts'
import type { english } from './texts/english.ts'

const catalogues: Record<Language, () => Promise<typeof english>> = {
  en: async () => (await import('./texts/english.ts')).english,
  'pt-BR': async () => (await import('./texts/portuguese.ts')).portuguese,
  es: async () => (await import('./texts/spanish.ts')).spanish,
}

export const { language, locale } = chooseLanguage(navigator.languages)
export const texts = await catalogues[language]()
