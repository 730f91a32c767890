// The entry of the console's script.

import { render } from 'preact'
import { ConsoleApp } from './console-app.tsx'
import { locale } from './texts.ts'

document.documentElement.lang = locale
const place = document.getElementById('app')
if (place) render(<ConsoleApp />, place)
