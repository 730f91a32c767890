// The entry of the console's script.

import { render } from 'preact'
import { App } from './app.tsx'

const place = document.getElementById('app')
if (place) render(<App />, place)
