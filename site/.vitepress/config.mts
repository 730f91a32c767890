// How the generator makes the site. What it shows was collected by `npm run build:site`, which says the rest in site.json.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfigWithTheme } from 'vitepress'

const folder = join(import.meta.dirname, '..', '..', '.build', 'site')
const { base, version, versions, sidebars } = JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8'))

/** As the host of the code makes them, so that one link works in both. */
const toAnchor = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** `words`: of the theme, where the language has its own. */
const describeLanguage = (label: string, lang: string, pages: Record<string, string>, words = {}) => ({
  label,
  lang,
  themeConfig: {
    nav: Object.entries(pages).map(([text, link]) => ({ text, link })),
    sidebar: sidebars[lang],
    ...words,
  },
})

interface Settings extends DefaultTheme.Config {
  /** Of these pages; and of others. */
  version?: string
  versions?: [name: string, address: string][]
}

export default defineConfigWithTheme<Settings>({
  base,
  title: 'msgnet gateway',
  description: 'An HTTP/JSON gateway for linked devices of a messaging network.',
  srcDir: '../.build/site/pages',
  srcExclude: ['public/**'],
  outDir: '../.build/site/out',
  cacheDir: '../.build/site/cache',
  cleanUrls: true,
  metaChunk: true,
  markdown: {
    image: { lazyLoading: true },
    anchor: { slugify: toAnchor },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  locales: {
    root: describeLanguage('English', 'en', {
      'Call it': '/use/by-hand',
      'Run it': '/run/one-server',
      'API reference': '/reference/',
      'All pages': '/overview',
    }),
    pt: describeLanguage(
      'Português',
      'pt',
      { Início: '/pt/', 'Referência da API': '/reference/' },
      {
        outline: { label: 'Nesta página' },
        docFooter: { prev: 'Anterior', next: 'Próxima' },
        darkModeSwitchLabel: 'Aparência',
        sidebarMenuLabel: 'Menu',
        returnToTopLabel: 'Voltar ao início',
      },
    ),
    es: describeLanguage(
      'Español',
      'es',
      { Inicio: '/es/', 'Referencia de la API': '/reference/' },
      {
        outline: { label: 'En esta página' },
        docFooter: { prev: 'Anterior', next: 'Siguiente' },
        darkModeSwitchLabel: 'Apariencia',
        sidebarMenuLabel: 'Menú',
        returnToTopLabel: 'Volver arriba',
      },
    ),
  },
  themeConfig: {
    search: { provider: 'local' },
    // Few pages are translated: from the others the menu of languages leads to the first page of a language.
    i18nRouting: false,
    version,
    versions,
  },
})
