// The entry of the script of the page on which a client of `/mcp` is allowed to get a token.

import { render } from 'preact'
import { locale } from '../texts.ts'
import { AuthorizePage } from './authorize-page.tsx'

document.documentElement.lang = locale
const place = document.getElementById('app')
if (place) render(<AuthorizePage />, place)
