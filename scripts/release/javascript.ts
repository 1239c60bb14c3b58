// Makes JavaScript of a TypeScript file of the product. Types become blanks, so that every line
// keeps its number in stack traces. Pure.
import { stripTypeScriptTypes } from 'node:module'
import { type AnyNode, type Node, parse } from 'acorn'

/** A module that is named by its file in an import, or by a URL, ends in .js afterwards. */
export function javascriptOf(typescript: string): string {
  const code = stripTypeScriptTypes(typescript)
  const ends = [...nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))]
    .flatMap(node => fileNamedBy(node)?.end ?? [])
    .map(end => end - 1)
    .filter(end => code.slice(0, end).endsWith('.ts'))
    .sort((a, b) => a - b)
  let text = ''
  let done = 0
  for (const end of ends) {
    text += `${code.slice(done, end - 2)}js`
    done = end
  }
  return text + code.slice(done)
}

/** The quoted name of a file that the node loads or points to. */
function fileNamedBy(node: AnyNode): Node | null | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return node.source
    case 'NewExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'URL'
        ? node.arguments[0]
        : undefined
    default:
      return undefined
  }
}

function* nodesOf(node: Node): Generator<AnyNode> {
  yield node as AnyNode
  for (const value of Object.values(node).flat() as unknown[]) {
    if (typeof value === 'object' && value !== null && 'type' in value)
      yield* nodesOf(value as Node)
  }
}
