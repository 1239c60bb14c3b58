// Lines that a reader pastes into a shell name the command as the shell finds it: `corridor` where
// the PATH leads to this installation, else its path, such as `bin/corridor` in a checkout.
import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inShell } from '../values/text/shell.ts'

const COMMAND = fileURLToPath(new URL('../../bin/corridor', import.meta.url))

/** A line that is set in, with variables before the command or not. */
const LINE = /^( {2,}(?:[A-Z_]+=\S+ )*)corridor(?= )/gm

export function pasteable(words: string): string {
  return words.replaceAll(LINE, (_, before) => `${before}${commandName()}`)
}

function commandName(): string {
  return isOnPath() ? 'corridor' : pathFromHere()
}

/** npm and npx add a folder of a project to the PATH, which the reader's shell does not have. */
function isOnPath(): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const first = folders
    .filter(folder => !folder.endsWith('/node_modules/.bin'))
    .map(folder => realPath(join(folder, 'corridor')))
    .find(path => path !== undefined)
  return first !== undefined && first === realPath(COMMAND)
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // There is none, or none that this user may look for.
    return undefined
  }
}

function pathFromHere(): string {
  const path = relative(process.cwd(), COMMAND)
  const below = path.includes('/') ? path : `./${path}`
  const named = path.startsWith('..') ? COMMAND : below
  return /^[\w./@+-]+$/.test(named) ? named : inShell(named)
}
