// Finds texts by local names in the small trees that a stream of XML yields. Pure.
import type { XmlNode } from './xml-stream.ts'

/** The first element at the path; undefined when there is none. */
export function childOf(
  node: XmlNode | undefined,
  ...path: readonly string[]
): XmlNode | undefined {
  let found = node
  for (const name of path) found = found?.children.find(child => child.name === name)
  return found
}

export function childrenOf(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  return node?.children.filter(child => child.name === name) ?? []
}

/** The text of the first element at the path, without white space around it; '' without one. */
export function textOf(node: XmlNode | undefined, ...path: readonly string[]): string {
  return childOf(node, ...path)?.text.trim() ?? ''
}

export function attributeOf(node: XmlNode | undefined, name: string): string {
  return node?.attributes[name]?.value.trim() ?? ''
}

/** The nearest element with this name: this one, or one around it. */
export function around(
  node: XmlNode | undefined,
  ...names: readonly string[]
): XmlNode | undefined {
  let found = node
  while (found !== undefined && !names.includes(found.name)) found = found.parent
  return found
}
