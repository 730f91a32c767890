// Prints the demo in a terminal.

import { styleText } from 'node:util'

export const printHeading = (text: string): void => console.log(`\n${styleText(['bold', 'green'], text)}\n`)
export const printStep = (text: string): void => console.log(`\n${styleText('bold', `▸ ${text}`)}`)
export const printDetail = (text: string): void => console.log(`  ${text}`)
export const printNote = (text: string): void => console.log(styleText('dim', text))
