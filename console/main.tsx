// The console's first line: what the address asks for is drawn.

import { render } from 'preact'
import { App } from './app.tsx'

const place = document.getElementById('app')
if (place) render(<App />, place)
