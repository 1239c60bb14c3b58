// Checks whether a history of transactions is serializable, from the versions of the keys that each
// read and wrote: a small Elle (Kingsbury and Alvaro, 2020) for keys whose versions are numbered
// from 1. It knows nothing of money or SQL.

/** One observed transaction. Version 0 of a key is its state before any write. */
export interface ObservedTransaction {
  readonly name: string
  readonly reads: readonly (readonly [key: string, version: number])[]
  readonly writes: readonly (readonly [key: string, version: number])[]
  /** The times of its request and of its answer, by one clock; both or neither. */
  readonly asked?: number
  readonly ended?: number
}

interface Edge {
  readonly to: number
  readonly why: string
}

type Graph = Edge[][]

/**
 * A shortest cycle through one transaction, as `name -why-> name -why-> …`; undefined when a serial
 * order exists that also respects real time. Throws when a version was written twice, or read but
 * never written.
 */
export function findCycle(history: readonly ObservedTransaction[]): string | undefined {
  const graph: Graph = Array.from({ length: 2 * history.length }, () => [])
  addVersions(history, graph)
  const times = addTimes(history, graph)
  const group = groupsOf(graph).find(nodes => nodes.length > 1)
  if (group === undefined) return undefined
  const name = (node: number) => history[node]?.name ?? `[${times[node - history.length]} ms]`
  const [first = 0] = group
  const way = wayBack(graph, first)
  return way.reduce((text, { to, why }) => `${text} -${why}-> ${name(to)}`, name(first))
}

/** Adds the edges of write after write (ww), read after write (wr) and write after read (rw). */
function addVersions(history: readonly ObservedTransaction[], graph: Graph): void {
  const writers = new Map<string, number>()
  const at = (key: string, version: number) => `${key} ${version}`
  for (const [node, { name, writes }] of history.entries()) {
    for (const [key, version] of writes) {
      const other = writers.get(at(key, version))
      if (other !== undefined && other !== node) {
        throw new Error(`${name} and ${history[other]?.name} both wrote ${at(key, version)}`)
      }
      writers.set(at(key, version), node)
    }
  }
  const link = (from: number | undefined, to: number | undefined, why: string) => {
    if (from !== undefined && to !== undefined && from !== to) graph[from]?.push({ to, why })
  }
  for (const [node, { name, reads, writes }] of history.entries()) {
    for (const [key, version] of writes) {
      link(node, writers.get(at(key, version + 1)), `ww ${key} ${version + 1}`)
    }
    for (const [key, version] of reads) {
      const writer = writers.get(at(key, version))
      if (version > 0 && writer === undefined) {
        throw new Error(`${name} read ${at(key, version)}, which nobody wrote`)
      }
      link(writer, node, `wr ${key} ${version}`)
      link(node, writers.get(at(key, version + 1)), `rw ${key} ${version + 1}`)
    }
  }
}

/**
 * Adds the edges of real time: a transaction precedes each one that was requested after its end. A
 * chain of end times keeps the edges few. Returns the end times in order.
 */
function addTimes(history: readonly ObservedTransaction[], graph: Graph): number[] {
  const ends = history
    .flatMap(({ ended }, node) => (ended === undefined ? [] : [{ node, ended }]))
    .sort((a, b) => a.ended - b.ended)
  const place = (i: number) => history.length + i
  for (const [i, { node }] of ends.entries()) {
    graph[node]?.push({ to: place(i), why: 'ended' })
    if (i > 0) graph[place(i - 1)]?.push({ to: place(i), why: 'then' })
  }
  for (const [node, { asked }] of history.entries()) {
    if (asked === undefined) continue
    const before = countBelow(ends, asked)
    if (before > 0) graph[place(before - 1)]?.push({ to: node, why: 'asked' })
  }
  return ends.map(({ ended }) => ended)
}

/** How many transactions ended before that moment. */
function countBelow(ends: readonly { readonly ended: number }[], moment: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle]?.ended ?? 0) < moment) low = middle + 1
    else high = middle
  }
  return low
}

/** Strongly connected components (Tarjan), without recursion: histories are long. */
function groupsOf(graph: Graph): number[][] {
  const index = new Int32Array(graph.length).fill(-1)
  const low = new Int32Array(graph.length)
  const next = new Int32Array(graph.length)
  const open = new Uint8Array(graph.length)
  const stack: number[] = []
  const groups: number[][] = []
  let count = 0
  const enter = (node: number) => {
    index[node] = low[node] = count++
    stack.push(node)
    open[node] = 1
  }
  const lower = (node: number, to: number) => {
    low[node] = Math.min(low[node] as number, to)
  }
  for (const root of graph.keys()) {
    if (index[root] !== -1) continue
    const path = [root]
    enter(root)
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const edge = graph[node]?.[next[node] as number]
      next[node] = (next[node] as number) + 1
      if (edge === undefined) {
        path.pop()
        const above = path.at(-1)
        if (above !== undefined) lower(above, low[node] as number)
        if (low[node] === index[node]) {
          const group = stack.splice(stack.lastIndexOf(node))
          for (const member of group) open[member] = 0
          groups.push(group)
        }
      } else if (index[edge.to] === -1) {
        path.push(edge.to)
        enter(edge.to)
      } else if (open[edge.to] === 1) lower(node, index[edge.to] as number)
    }
  }
  return groups
}

/** The shortest path from a node back to itself. */
function wayBack(graph: Graph, start: number): Edge[] {
  const came = new Map<number, { from: number; edge: Edge }>()
  const queue = [start]
  for (const node of queue) {
    for (const edge of graph[node] ?? []) {
      if (came.has(edge.to)) continue
      came.set(edge.to, { from: node, edge })
      queue.push(edge.to)
      if (edge.to === start) break
    }
    if (came.has(start)) break
  }
  const way: Edge[] = []
  for (let node = start; way.length === 0 || node !== start; ) {
    const step = came.get(node)
    if (step === undefined) break
    way.unshift(step.edge)
    node = step.from
  }
  return way
}
