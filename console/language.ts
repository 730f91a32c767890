// Chooses the language of the console from those that the browser asks for. Apart from texts.ts, because its tests run without a browser.

export type Language = 'en' | 'pt-BR' | 'es'

const LANGUAGES: Record<string, Language> = { en: 'en', pt: 'pt-BR', es: 'es' }

/**
 * The first language of the list that the console has, in any regional form; English when it has none. `locale` keeps the regional
 * form, because dates and numbers follow it.
 */
export function chooseLanguage(preferred: readonly string[]): { language: Language; locale: string } {
  for (const locale of preferred) {
    const language = LANGUAGES[locale.toLowerCase().split('-')[0] ?? '']
    if (language) return { language, locale }
  }
  return { language: 'en', locale: 'en' }
}
