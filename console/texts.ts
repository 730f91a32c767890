// The texts of the console in the language of this browser, chosen once when the page loads.

import { chooseLanguage } from './language.ts'
import { english } from './texts/english.ts'
import { portuguese } from './texts/portuguese.ts'
import { spanish } from './texts/spanish.ts'

const catalogues = { en: english, 'pt-BR': portuguese, es: spanish }

export const { language, locale } = chooseLanguage(navigator.languages)
export const texts = catalogues[language]
