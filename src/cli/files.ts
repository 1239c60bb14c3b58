// Files that operators hand to a command: read whole, and refused with every problem at once.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { LineProblem, Parsed } from '../csv.ts'
import { CommandFailed, UsageError } from './context.ts'

export interface InputFile {
  /** For messages and as the default source of rates: the last part of the path, or `stdin`. */
  readonly name: string
  readonly text: string
}

/** The file as text; `-` is standard input. Not there, or not UTF-8: an error of one line. */
export async function readInput(path: string): Promise<InputFile> {
  const name = path === '-' ? 'stdin' : basename(path)
  const bytes = path === '-' ? await buffer(process.stdin) : await readBytes(path)
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new CommandFailed(`${name} is not UTF-8 text`)
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`)
  }
}

/** The values of a file without problems; any problem, or nothing in it, ends the command. */
export function valuesOf<T>(name: string, parsed: Parsed<T>): T[] {
  refuseProblems(name, parsed.problems)
  if (parsed.lines.length === 0) throw new CommandFailed(`${name} has no rows; nothing was written`)
  return parsed.lines.map(({ value }) => value)
}

/** Names every problem with its line; does nothing when there is none. */
export function refuseProblems(name: string, problems: readonly LineProblem[], hint = ''): void {
  if (problems.length === 0) return
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  const lines = problems.map(({ line, message }) => `  line ${line}: ${message}`)
  const words = [`${name} has ${count}; nothing was written${hint}`, ...lines]
  throw new CommandFailed(words.join('\n'))
}
