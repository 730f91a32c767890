// The list of pages: a column beside the page, and on a narrow screen a bar whose button opens the list.

import { Fragment } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { signOut } from './console-session.ts'
import { Brand } from './greeting-page.tsx'
import { texts } from './texts.ts'
import { Icon, type IconName } from './ui/icon.tsx'
import { UnreadCount } from './unread/unread-context.tsx'

interface NavigationProps {
  pages: readonly { name: string; label: string; href: string; icon: IconName; isFirst: boolean }[]
  page: string
  /** As icons, beside a page that needs the window. */
  isSlim: boolean
  onPalette: () => void
}

const words = texts.nav

export function Navigation({ pages, page, isSlim, onPalette }: NavigationProps) {
  const list = useId()
  const { isOpen, setOpen, side, button } = useMenu()
  return (
    <nav class={isSlim ? 'side slim' : 'side'} aria-label={words.label} ref={side}>
      <div class="side-head">
        <Brand />
        <button
          type="button"
          class="button bare narrow-only"
          aria-label={words.menu}
          aria-expanded={isOpen}
          aria-controls={list}
          ref={button}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} size={22} />
        </button>
      </div>
      <div class={`side-list${isOpen ? ' open' : ''}`} id={list}>
        <button type="button" class="item palette-button" onClick={onPalette}>
          <Icon name="search" />
          <span class="item-label">{texts.palette.open}</span>
          <kbd class="item-label">Ctrl K</kbd>
        </button>
        {pages.map(({ name, label, href, icon, isFirst }) => (
          <Fragment key={name}>
            {isFirst && <span class="gap" />}
            <a
              class="item"
              href={href}
              title={isSlim ? label : undefined}
              aria-current={page === name ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span class="item-label">{label}</span>
              {name === 'inbox' && <UnreadCount />}
            </a>
          </Fragment>
        ))}
        <div class="end">
          <a class="item" href="/docs">
            <Icon name="docs" />
            <span class="item-label">{words.docs}</span>
          </a>
          <button type="button" class="item" onClick={signOut}>
            <Icon name="signOut" />
            <span class="item-label">{texts.signIn.out}</span>
          </button>
        </div>
      </div>
    </nav>
  )
}

/** Closes with Escape, by a link, by a press elsewhere, and when the focus leaves it. */
function useMenu() {
  const [isOpen, setOpen] = useState(false)
  const side = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpen(false)
      button.current?.focus()
    }
    const onLeave = ({ target }: Event) => {
      if (!side.current?.contains(target as Node)) setOpen(false)
    }
    // Also where the link is that of the open page.
    const onClick = ({ target }: Event) => {
      if ((target as Element).closest('a')) setOpen(false)
    }
    document.addEventListener('keydown', onKeyDown)
    document.addEventListener('click', onClick)
    document.addEventListener('pointerdown', onLeave)
    document.addEventListener('focusin', onLeave)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      document.removeEventListener('click', onClick)
      document.removeEventListener('pointerdown', onLeave)
      document.removeEventListener('focusin', onLeave)
    }
  }, [isOpen])
  return { isOpen, setOpen, side, button }
}
