// What matches by itself, found by comparing each open line with all open items: the rules of
// docs/treasury.md told a second time, without an index or a statement.

export interface OracleLine {
  readonly id: bigint
  readonly amount: bigint
  readonly keys: readonly string[]
  readonly blocks: readonly string[]
  readonly text: string
  readonly details: readonly { readonly amount: bigint; readonly keys: readonly string[] }[]
}

export interface OracleItem {
  readonly id: bigint
  readonly amount: bigint
  /** The key and the UETR. */
  readonly keys: readonly string[]
  readonly block: string
  readonly file: string
}

export interface World {
  readonly lines: readonly OracleLine[]
  readonly items: readonly OracleItem[]
  /** Pairs that a person has undone, as `line item`. */
  readonly undone: ReadonlySet<string>
}

/** `line: item item`, in the order of the lines. */
export type Expected = readonly string[]

export const fold = (text: string) => text.replace(/\s/g, '').toUpperCase()
const isKey = (key: string) => key.length >= 6 && !['NOTPROVIDED', 'NONREF'].includes(key)
const sumOf = (rows: readonly { readonly amount: bigint }[]) =>
  rows.reduce((sum, { amount }) => sum + amount, 0n)

/** Applies the rules in their order, each to what the earlier ones have left. */
export function expectedMatches(world: World): Expected {
  const made = new Map<bigint, readonly bigint[]>()
  for (const rule of [byKey, byBlock, byText]) {
    const taken = new Set([...made.values()].flat())
    const lines = world.lines.filter(({ id }) => !made.has(id))
    const items = world.items.filter(({ id }) => !taken.has(id))
    for (const [line, members] of rule({ ...world, lines, items })) made.set(line, members)
  }
  return [...made]
    .sort(([a], [b]) => Number(a - b))
    .map(([line, items]) => `${line}: ${[...items].sort((a, b) => Number(a - b)).join(' ')}`)
}

interface Part {
  readonly line: OracleLine
  readonly amount: bigint
  readonly keys: ReadonlySet<string>
}

const byKey = (world: World) => oneToOne(world, line => partsOf(line, []))
const byText = (world: World) => oneToOne(world, line => partsOf(line, wordsOf(line.text)))

function partsOf(line: OracleLine, words: readonly string[]): Part[] {
  const { amount, details } = line
  const part = (amount: bigint, keys: readonly string[]): Part => {
    return { line, amount, keys: new Set(keys.map(fold).filter(isKey)) }
  }
  if (details.length > 1) return details.map(detail => part(detail.amount, detail.keys))
  return [part(amount, [...line.keys, ...details.flatMap(({ keys }) => keys), ...words])]
}

function wordsOf(text: string): string[] {
  const trimmed = text.split(/\s+/).map(word => word.replace(/^[.,:;()]+|[.,:;()]+$/g, ''))
  const words = [...text.split(/[^A-Za-z0-9]+/), ...trimmed]
  return words.filter(word => word.length === 15 || (word.length >= 8 && /\d/.test(word)))
}

/** Each part of a line has exactly one item, and that item has no other part of any line. */
function oneToOne({ lines, items, undone }: World, partsOf: (line: OracleLine) => Part[]) {
  const fits = ({ line, amount, keys }: Part, item: OracleItem) =>
    amount === item.amount &&
    item.keys.some(key => key !== '' && keys.has(fold(key))) &&
    !undone.has(`${line.id} ${item.id}`)
  const parts = lines.flatMap(partsOf)
  return lines.flatMap((line): [bigint, bigint[]][] => {
    const found = partsOf(line).map(part => items.filter(item => fits(part, item)))
    const members = found.map(([item]) => item)
    const isSingle = found.every(({ length }) => length === 1)
    const isAlone = members.every(
      item => item !== undefined && parts.filter(part => fits(part, item)).length === 1,
    )
    if (!isSingle || !isAlone) return []
    const rows = members.filter(item => item !== undefined)
    return sumOf(rows) === line.amount ? [[line.id, rows.map(({ id }) => id)]] : []
  })
}

/** All open items of a block or file with the line's sign, which sum to it and to no other line. */
function byBlock({ lines, items, undone }: World) {
  const fitting = new Map(
    lines.map(line => {
      const groups = line.blocks
        .filter(isKey)
        .flatMap(name =>
          (['block', 'file'] as const).map(of =>
            items.filter(item => item[of] === name && item.amount > 0n === line.amount > 0n),
          ),
        )
      const sums = groups.filter(group => group.length > 0 && sumOf(group) === line.amount)
      return [line, new Map(sums.map(group => [group.map(({ id }) => id).join(), group]))]
    }),
  )
  const uses = (item: OracleItem) =>
    [...fitting.values()].filter(groups => [...groups.values()].flat().includes(item)).length
  return lines.flatMap((line): [bigint, bigint[]][] => {
    const groups = [...(fitting.get(line)?.values() ?? [])]
    const [group = []] = groups
    const isFree = group.every(item => uses(item) === 1 && !undone.has(`${line.id} ${item.id}`))
    return groups.length === 1 && isFree ? [[line.id, group.map(({ id }) => id)]] : []
  })
}
