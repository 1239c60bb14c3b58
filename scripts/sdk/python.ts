// packages/python/corridor/emitted.py: a TypedDict for each schema of openapi.json, a class for each
// resource and a method for each operation. Pure.
import { pythonName } from '../../src/docs-site/snippet/names.ts'
import {
  className,
  flatten,
  kindsOf,
  type Method,
  type Model,
  type Parameter,
  type Resource,
  referred,
  type Schema,
} from './model.ts'

export function emitPython(model: Model): string {
  const schemas = [...model.shown].map(([name, schema]) => emitSchema(name, schema))
  const resources = flatten(model.root).map(emitResource)
  const fields = model.root.children.map(child => {
    return `        self.${child.name} = ${className(child)}(transport)`
  })
  return `# Written by \`npm run openapi\` from openapi.json; changes here are overwritten.
# ruff: noqa
from __future__ import annotations

from decimal import Decimal
from typing import Any, List, Literal, NotRequired, Optional, Sequence, TypedDict, Union

from .listing import Listing
from .transport import Answer, Options, Raw, Transport, segment

VERSION = "${model.version}"
"""The version of the API that this client is written for."""


${schemas.join('\n\n')}


${resources.join('\n\n\n')}


class Resources:
    """Every resource of the service."""

    def __init__(self, transport: Transport) -> None:
${fields.join('\n')}
`
}

/** A schema as a TypedDict in call form, because a member may have a keyword as its name. */
function emitSchema(name: string, schema: Schema): string {
  const { type, properties } = schema
  if (type !== 'object' || properties === undefined) return `${name} = ${typeOf(schema)}`
  const { required = [] } = schema
  const members = Object.entries(properties).map(([member, inner]) => {
    const quoted = JSON.stringify(typeOf(inner))
    return `    ${JSON.stringify(member)}: ${required.includes(member) ? quoted : `NotRequired[${quoted}]`},`
  })
  if (members.length === 0) return `${name} = dict[str, Any]`
  return `${name} = TypedDict("${name}", {\n${members.join('\n')}\n})`
}

function typeOf(schema: Schema): string {
  const name = referred(schema)
  if (name !== undefined) return `"${name}"`
  if (schema.const !== undefined) return literals([schema.const])
  const open = schema['x-extensible-enum']
  if (open !== undefined) return `Union[${literals(open)}, str]`
  if (schema.enum !== undefined) return literals(schema.enum)
  const either = kindsOf(schema)
  if (either !== undefined) return union(either.map(typeOf))
  return union([schema.type ?? 'any'].flat().map(type => plain(schema, type)))
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: '"Decimal"',
  boolean: 'bool',
  null: 'None',
}

function plain({ items = {}, additionalProperties: more }: Schema, type: string): string {
  if (type === 'array') return `List[${typeOf(items)}]`
  if (type !== 'object') return PLAIN[type] ?? 'Any'
  return `dict[str, ${typeof more === 'object' ? typeOf(more) : 'Any'}]`
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)]
  return different.length === 1 ? (different[0] as string) : `Union[${different.join(', ')}]`
}

function literals(values: readonly unknown[]): string {
  const written = values.map(value =>
    typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value),
  )
  return `Literal[${written.join(', ')}]`
}

function emitResource(resource: Resource): string {
  const made = resource.children.map(child => {
    return `        self.${child.name} = ${className(child)}(transport)\n`
  })
  const head = `class ${className(resource)}:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
${made.join('')}`
  return [head, ...resource.methods.map(emitMethod)].join('\n').trimEnd()
}

function emitMethod(method: Method): string {
  const { name, verb, path, params, query, body, keyed, answer, enveloped, list, media } = method
  const known = new Map(query.map(one => [one, pythonName(one.name)]))
  const needed = query.filter(({ required }) => required)
  const optional = query.filter(({ required }) => !required)
  const positional = [
    'self',
    ...params.map(param => `${param}: str`),
    ...(body === undefined ? [] : [`body: ${typeOf(body)}${method.bodyMayBeEmpty ? ' = {}' : ''}`]),
  ]
  const named = [
    ...needed.map(one => `${known.get(one)}: ${queryType(one)}`),
    ...optional.map(one => `${known.get(one)}: Optional[${queryType(one)}] = None`),
    ...(keyed ? ['idempotency_key: Optional[str] = None'] : []),
    'options: Options = Options()',
  ]
  const filled = path.replace(/\{(\w+)\}/g, (_, param) => `{segment(${param})}`)
  const facts = [
    `"${verb}"`,
    params.length > 0 ? `f"${filled}"` : `"${path}"`,
    `query={${query.map(one => `"${one.name}": ${known.get(one)}`).join(', ')}}`,
    ...(body === undefined ? [] : ['body=body']),
    ...(keyed ? ['keyed=True', 'idempotency_key=idempotency_key'] : []),
    ...(enveloped || media !== undefined ? [] : ['bare=True']),
    ...(media === undefined ? [] : [`media="${media}"`]),
    'options=options',
  ]
  const result = list ? `Listing[${typeOf(list.item)}]` : media ? 'Raw' : answerType(answer)
  const way = list ? `list("${list.cursor}", ` : media ? 'raw(' : 'call('
  return `    def ${pythonName(name)}(${positional.join(', ')}, *, ${named.join(', ')}) -> ${result}:
        """${method.summary.replace(/\.?$/, '.')} \`${verb} ${path}\`"""
        return self._transport.${way}${facts.join(', ')})
`
}

/** The return type of a JSON answer: Answer adds request id and headers to the object. */
const answerType = (answer: Schema | undefined) => `Answer[${typeOf(answer ?? {})}]`

/** The type of a query parameter; one with several values takes one value or a sequence. */
function queryType({ schema }: Parameter): string {
  if (schema.type !== 'array') return typeOf(schema)
  const item = typeOf(schema.items ?? {})
  return `Union[${item}, Sequence[${item}]]`
}
