// The generator's own theme with the fonts of the reader's machine, because a font would be the largest file of the first page, and with
// what the theme does not have: a landmark on the first page, and links that leave the pages of the generator.

import { Content, type EnhanceAppContext, useData, withBase } from 'vitepress'
import theme, { VPHomeContent, VPHomeFeatures, VPHomeHero } from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import './style.css'

/** In the place of the theme's own, in which a screen reader would not find where the page begins. */
const FirstPage = defineComponent({
  setup: () => () => h('main', [h(VPHomeHero), h(VPHomeFeatures), h(VPHomeContent, null, () => h(Content))]),
})

const words: Record<string, string> = { pt: 'Esta página em Markdown', es: 'Esta página en Markdown' }

/** The generator would lead to the page itself. */
const MarkdownLink = defineComponent({
  setup() {
    const { page, lang } = useData()
    return () => {
      const href = withBase(`/${page.value.filePath}`)
      return h('p', { class: 'extra' }, [
        h('a', { href, target: '_blank' }, words[lang.value] ?? 'This page as Markdown'),
      ])
    }
  },
})

/** The version of these pages, and those of others. */
const VersionLinks = defineComponent({
  setup() {
    const { theme: settings } = useData<{ version: string; versions: [name: string, address: string][] }>()
    const { version, versions } = settings.value
    return () =>
      h('p', { class: 'extra' }, [
        h('a', { href: withBase('/changelog') }, version),
        ...versions.map(([name, href]) => [' · ', h('a', { href, target: '_self' }, name)]),
      ])
  },
})

export default {
  extends: theme,
  enhanceApp: ({ app }: EnhanceAppContext) => void app.component('FirstPage', FirstPage),
  Layout: () =>
    h(theme.Layout, null, {
      'doc-footer-before': () => h(MarkdownLink),
      'sidebar-nav-after': () => h(VersionLinks),
    }),
}
