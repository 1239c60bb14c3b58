// Records as people read them in a terminal: what is set, one line a value, with what is nested
// indented.
import type { Instant } from '../instant.ts'
import { columnsOfTerminal, padTo, visible, widthOf, wrapped } from './terminal.ts'

/** `2026-10-06 09:30:00Z`. */
export function toSecond(instant: Instant): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`
}

type Member = readonly [name: string, value: unknown]

/** What is set: one line a value, with what is nested indented below its name. */
export function outline(object: object, indent = ''): string[] {
  const members = Object.entries(object).filter(([, value]) => isSet(value))
  const texts = members.filter(([, value]) => typeof value !== 'object')
  const width = Math.max(0, ...texts.map(([name]) => widthOf(visible(name))))
  return members.flatMap(member => outlineMember(member, width, indent))
}

function outlineMember([name, value]: Member, width: number, indent: string): string[] {
  const label = visible(name)
  if (typeof value === 'object' && value !== null) {
    const inner = Array.isArray(value) ? numbered(value) : value
    return [`${indent}${label}`, ...outline(inner, `${indent}  `)]
  }
  const first = `${indent}${padTo(label, width)}  `
  const further = ' '.repeat(widthOf(first))
  // Only between words, so that what is copied is whole.
  const words = visible(String(value)).split(' ')
  return wrapped(words, { first, further, columns: columnsOfTerminal() })
}

/** A list as an object, numbered from 1. */
function numbered(values: readonly unknown[]): object {
  return Object.fromEntries(values.map((value, i) => [`${i + 1}.`, value]))
}

function isSet(value: unknown): boolean {
  if (value === '' || value === null) return false
  return typeof value !== 'object' || Object.values(value).some(isSet)
}
