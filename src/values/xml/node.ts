// Finds elements and texts by local names in the small trees of xml-stream.ts. Pure.
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

/** All children with the path's last name, in the first element at the rest of the path. */
export function childrenOf(
  node: XmlNode | undefined,
  ...path: readonly string[]
): readonly XmlNode[] {
  const parent = childOf(node, ...path.slice(0, -1))
  return parent?.children.filter(child => child.name === path.at(-1)) ?? []
}

/** The text of the first element at the path, without white space around it; '' without one. */
export function textOf(node: XmlNode | undefined, ...path: readonly string[]): string {
  return childOf(node, ...path)?.text.trim() ?? ''
}

export function attributeOf(node: XmlNode | undefined, name: string): string {
  return node?.attributes[name]?.value.trim() ?? ''
}

/** The element or its nearest ancestor with one of these names. */
export function closest(
  node: XmlNode | undefined,
  ...names: readonly string[]
): XmlNode | undefined {
  let found = node
  while (found !== undefined && !names.includes(found.name)) found = found.parent
  return found
}
