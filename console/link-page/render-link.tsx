// The entry of the script of the page behind a one-time link.

import { render } from 'preact'
import { locale } from '../texts.ts'
import { LinkClient } from './link-client.ts'
import { LinkPage } from './link-page.tsx'

document.documentElement.lang = locale
const place = document.getElementById('app')
if (place) render(<LinkPage client={new LinkClient(location.hash.slice(1))} />, place)
// Another link in the same tab is another page.
addEventListener('hashchange', () => location.reload())
