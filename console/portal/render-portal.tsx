// The entry of the script of the page with the webhooks of one instance.

import { render } from 'preact'
import { locale } from '../texts.ts'
import { PortalClient } from './portal-client.ts'
import { PortalPage } from './portal-page.tsx'

document.documentElement.lang = locale
const place = document.getElementById('app')
if (place) render(<PortalPage client={new PortalClient(location.hash.slice(1))} />, place)
// Another link in the same tab is another page.
addEventListener('hashchange', () => location.reload())
