// Whether a statement can run on a database that is spread over several machines: what
// docs/decisions/citus.md asks of each, judged by PostgreSQL's own parser.
import { parse } from 'libpg-query'

/** A node of the parser's tree: one member that names its kind, or a list of them. */
type Node = { readonly [kind: string]: unknown }

/** Tables with rows of accounts. */
export interface Known {
  readonly owned: ReadonlySet<string>
}

export interface Judgement {
  readonly faults: readonly string[]
  /** It looks rows up as they were sent, of several accounts: what a spread database is not sent. */
  readonly by_rows: boolean
  /** Why PostgreSQL 15 cannot run it, or nothing. */
  readonly too_new: readonly string[]
  /** Why Citus cannot send it to all shards either, and gather their rows. */
  readonly ungathered: readonly string[]
}

/** Where a table is named, and what it is called there. */
interface Place {
  readonly table: string
  readonly alias: string
}

interface Level {
  /** Tables of accounts that this level names. */
  readonly places: Place[]
  /** What rows that were sent are called, here and further out. */
  readonly rows: ReadonlySet<string>
  /** Those of them that are named further out. */
  readonly outer: ReadonlySet<string>
  readonly conditions: unknown[]
}

export async function judge(text: string, known: Known): Promise<Judgement> {
  const { stmts = [] } = (await parse(text)) as { stmts?: { stmt: Node }[] }
  const judge = new Judge(known)
  for (const { stmt } of stmts) judge.statement(stmt, new Set(), new Set())
  const { by_rows } = judge
  const [faults, ungathered] = [judge.faults, judge.ungathered].map(all => [...new Set(all)])
  const unnamed = nodesOf(stmts, 'RangeSubselect').some(
    ({ RangeSubselect: select }) => aliasOf(select as Node) === undefined,
  )
  const too_new = unnamed ? ['a select in FROM has no name, as PostgreSQL 15 demands'] : []
  return { faults: faults ?? [], by_rows, too_new, ungathered: ungathered ?? [] }
}

class Judge {
  readonly faults: string[] = []
  readonly ungathered: string[] = []
  by_rows = false
  readonly #known: Known

  constructor(known: Known) {
    this.#known = known
  }

  /** `outer`: names of rows that were sent, of the levels around; `parts`: what WITH has named. */
  statement(node: Node, outer: ReadonlySet<string>, parts: ReadonlySet<string>): void {
    const [[kind, body] = ['', {}]] = Object.entries(node) as [string, Node][]
    const named = new Set(parts)
    for (const part of ctesOf(body)) {
      named.add(part.ctename)
      this.statement(part.ctequery, outer, named)
      if (
        'InsertStmt' in part.ctequery &&
        'returningClause' in (part.ctequery.InsertStmt as Node)
      ) {
        this.faults.push(`an insert is read as ${part.ctename}`)
      }
    }
    if (kind === 'SelectStmt') this.#select(body, outer, named)
    else if (kind === 'InsertStmt') this.#insert(body, outer, named)
    else if (kind === 'UpdateStmt' || kind === 'DeleteStmt') this.#change(body, outer, named)
  }

  #select(body: Node, outer: ReadonlySet<string>, parts: ReadonlySet<string>): void {
    for (const side of ['larg', 'rarg']) {
      const of = body[side] as Node | undefined
      if (of !== undefined) this.statement({ SelectStmt: of }, outer, parts)
    }
    const from = (body.fromClause ?? []) as Node[]
    this.#level(from, body, outer, parts)
  }

  #change(body: Node, outer: ReadonlySet<string>, parts: ReadonlySet<string>): void {
    const from = [
      { RangeVar: body.relation },
      ...((body.fromClause ?? body.usingClause ?? []) as Node[]),
    ]
    if (this.#isOwned(body.relation as Node)) {
      this.#timeless([body.targetList, body.returningClause, body.whereClause])
    }
    this.#level(from, body, outer, parts)
  }

  #insert(body: Node, outer: ReadonlySet<string>, parts: ReadonlySet<string>): void {
    const source = (body.selectStmt as { SelectStmt?: Node } | undefined)?.SelectStmt
    if (source === undefined) return
    this.statement({ SelectStmt: source }, outer, parts)
    if (!this.#isOwned(body.relation as Node) || 'valuesLists' in source) return
    const from = (source.fromClause ?? []) as Node[]
    if (from.length === 1 && isSent(from[0] as Node)) this.by_rows = true
    else if (!namesBooks(from)) this.faults.push('rows are inserted that do not come by the books')
    this.#timeless([body.returningClause, body.onConflictClause])
  }

  #level(
    from: readonly Node[],
    body: Node,
    outer: ReadonlySet<string>,
    parts: ReadonlySet<string>,
  ): void {
    const conditions = [body.whereClause]
    const level: Level = { places: [], rows: new Set(outer), outer, conditions }
    for (const item of from) this.#source(item, level, parts)
    const judged = { ...body, fromClause: [], usingClause: [], withClause: undefined }
    for (const { SubLink } of nodesOf([judged, level.conditions], 'SubLink')) {
      const { subselect } = SubLink as { subselect: Node }
      this.statement(subselect, level.rows, parts)
      this.#beside(subselect, level, parts)
    }
    for (const place of level.places) this.#place(place, level)
    if (level.places.length > 0) this.#settings(body)
  }

  /** A table, a join, rows that were sent, or a select within FROM. */
  #source(item: Node, level: Level, parts: ReadonlySet<string>): void {
    const [[kind, body] = ['', {}]] = Object.entries(item) as [string, Node][]
    if (kind === 'JoinExpr') {
      this.#source(body.larg as Node, level, parts)
      this.#source(body.rarg as Node, level, parts)
      level.conditions.push(body.quals)
    } else if (kind === 'RangeFunction') {
      const name = aliasOf(body)
      if (name !== undefined) (level.rows as Set<string>).add(name)
    } else if (kind === 'RangeSubselect') {
      const found = level.places.filter(place => this.#isByRow(place, level))
      const rows = new Set([...level.rows, ...found.map(({ alias }) => alias)])
      this.statement(body.subquery as Node, rows, parts)
      // What a select of sent rows gives is told apart by them.
      const name = aliasOf(body)
      if (name !== undefined && readsRows(body.subquery as Node)) {
        ;(level.rows as Set<string>).add(name)
      }
    } else if (kind === 'RangeVar') {
      const table = body.relname as string
      if (parts.has(table) || !this.#known.owned.has(table)) return
      level.places.push({ table, alias: aliasOf(body) ?? table })
    }
  }

  #place(place: Place, level: Level): void {
    if (wantedOf(place, level).some(({ right }) => right === 'parameter')) return
    if (this.#isByRow(place, level)) this.by_rows = true
    else {
      this.faults.push(`${place.table} ${place.alias} does not say whose rows are wanted`)
      if (refersTo(level.conditions, level.outer)) {
        this.ungathered.push(`${place.table} is looked up on all shards for each row that was sent`)
      }
    }
  }

  /** A select for each row of a shard finds no table that the coordinator alone has. */
  #beside(subselect: Node, { places }: Level, parts: ReadonlySet<string>): void {
    if (!refersTo(subselect, new Set(places.map(({ alias }) => alias)))) return
    for (const { RangeVar } of nodesOf(subselect, 'RangeVar')) {
      const { relname } = RangeVar as { relname: string }
      if (parts.has(relname) || this.#known.owned.has(relname)) continue
      this.ungathered.push(`${relname} is looked up for each row of a shard`)
    }
  }

  /** Looked up by rows that were sent, or by what is. */
  #isByRow(place: Place, level: Level): boolean {
    const byRow = (name: unknown) => Array.isArray(name) && level.rows.has(String(name[0]))
    const placed = equalitiesOf(level.conditions).some(({ left, right }) => {
      return left[1] === 'ctid' && (byRow(right) || right === 'rows')
    })
    return placed || wantedOf(place, level).some(({ right }) => byRow(right))
  }

  #settings(body: Node): void {
    for (const { FuncCall } of nodesOf(body, 'FuncCall')) {
      const { funcname } = FuncCall as { funcname: { String: { sval: string } }[] }
      if (funcname.at(-1)?.String.sval === 'set_config') this.faults.push('set_config')
    }
  }

  #timeless(parts: unknown): void {
    for (const { FuncCall } of nodesOf(parts, 'FuncCall')) {
      const { funcname } = FuncCall as { funcname: { String: { sval: string } }[] }
      if (funcname.at(-1)?.String.sval === 'clock_timestamp') {
        this.faults.push('clock_timestamp() where rows are written')
      }
    }
  }

  #isOwned(relation: Node): boolean {
    return this.#known.owned.has(relation.relname as string)
  }
}

/** What is said of the account of a table's rows. */
function wantedOf({ alias }: Place, { places, conditions }: Level): Equality[] {
  const alone = places.length === 1
  return equalitiesOf(conditions).filter(({ left: [of, column] }) => {
    return column === 'account_id' && (of === alias || (of === undefined && alone))
  })
}

/** Whether a column of one of these is named in it. */
function refersTo(of: unknown, aliases: ReadonlySet<string>): boolean {
  return nodesOf(of, 'ColumnRef').some(node => aliases.has(columnOf(node)?.[0] ?? ''))
}

function ctesOf(body: Node): { ctename: string; ctequery: Node }[] {
  const { ctes = [] } = (body.withClause ?? {}) as {
    ctes?: { CommonTableExpr: { ctename: string; ctequery: Node } }[]
  }
  return ctes.map(({ CommonTableExpr }) => CommonTableExpr)
}

function aliasOf(body: Node): string | undefined {
  return (body.alias as { aliasname?: string } | undefined)?.aliasname
}

function readsRows(node: Node): boolean {
  return nodesOf(node, 'RangeFunction').length > 0
}

/** Whether a source has nothing but parameters: arrays of many rows, or the values of one. */
function isSent(source: Node): boolean {
  if ('RangeFunction' in source) return true
  const { subquery } = (source.RangeSubselect ?? {}) as { subquery?: { SelectStmt?: Node } }
  const one = subquery?.SelectStmt
  return (
    one !== undefined && ['RangeVar', 'FuncCall'].every(kind => nodesOf(one, kind).length === 0)
  )
}

function namesBooks(from: readonly Node[]): boolean {
  return nodesOf(from, 'RangeVar').some(
    ({ RangeVar }) => (RangeVar as { relname: string }).relname === 'books',
  )
}

interface Equality {
  readonly left: readonly (string | undefined)[]
  /** Another column as [of, column], a parameter, what is found by rows that were sent, or else. */
  readonly right: readonly (string | undefined)[] | 'parameter' | 'rows' | 'other'
}

/** What is joined by AND. */
function partsOf(condition: unknown): Node[] {
  if (condition === undefined) return []
  const { BoolExpr, ...plain } = condition as Node
  if (BoolExpr === undefined) return 'A_Expr' in plain ? [plain] : []
  const { boolop, args } = BoolExpr as { boolop: string; args: unknown[] }
  return boolop === 'AND_EXPR' ? args.flatMap(partsOf) : []
}

/** What must hold of each row: `column = …` and `column = any (…)`, joined by AND. */
function equalitiesOf(conditions: readonly unknown[]): Equality[] {
  return conditions.flatMap(partsOf).flatMap(({ A_Expr }) => {
    const { kind, name, lexpr, rexpr } = A_Expr as {
      kind: string
      name: { String: { sval: string } }[]
      lexpr?: Node
      rexpr?: Node
    }
    const plain = kind === 'AEXPR_OP' || kind === 'AEXPR_OP_ANY'
    if (!plain || name[0]?.String.sval !== '=' || !lexpr || !rexpr) return []
    const [left, right] = [columnOf(lexpr), columnOf(rexpr)]
    const other = isParameter(rexpr) ? 'parameter' : readsRows(rexpr) ? 'rows' : 'other'
    return [
      ...(left === undefined ? [] : [{ left, right: right ?? other } as Equality]),
      ...(right === undefined || left === undefined ? [] : [{ left: right, right: left }]),
    ]
  })
}

function columnOf(node: Node): readonly (string | undefined)[] | undefined {
  const fields = (node.ColumnRef as { fields?: { String?: { sval: string } }[] })?.fields
  if (fields === undefined) return undefined
  const names = fields.map(field => field.String?.sval)
  return names.length === 1 ? [undefined, names[0]] : names
}

function isParameter(node: Node): boolean {
  if ('ParamRef' in node) return true
  const cast = node.TypeCast as { arg: Node } | undefined
  return cast !== undefined && isParameter(cast.arg)
}

/** Nodes of a kind, however deep. */
function nodesOf(of: unknown, kind: string): Node[] {
  if (Array.isArray(of)) return of.flatMap(one => nodesOf(one, kind))
  if (typeof of !== 'object' || of === null) return []
  return Object.entries(of).flatMap(([name, value]) => {
    const deeper = nodesOf(value, kind)
    return name === kind ? [{ [kind]: value }, ...deeper] : deeper
  })
}
