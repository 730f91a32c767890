// The entry of the console's script.

import { render } from 'preact'
import { ConsoleApp } from './console-app.tsx'

const place = document.getElementById('app')
if (place) render(<ConsoleApp />, place)
