// Prints the demo in a terminal.

import { styleText } from 'node:util'

export const heading = (text: string): void => console.log(`\n${styleText(['bold', 'green'], text)}\n`)
export const step = (text: string): void => console.log(`\n${styleText('bold', `▸ ${text}`)}`)
export const detail = (text: string): void => console.log(`  ${text}`)
export const note = (text: string): void => console.log(styleText('dim', text))
